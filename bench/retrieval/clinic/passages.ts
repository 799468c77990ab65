/** The knowledge base of a clinic, on which thresholds and weights are tuned. */
export const clinicPassages: Readonly<Record<string, readonly [english: string, hindi: string, marathi: string]>> = {
  appointment: [
    'Appointments are booked by telephone or on the website, at least one day ahead.',
    'अपॉइंटमेंट फ़ोन या वेबसाइट से कम से कम एक दिन पहले लेना होता है।',
    'अपॉइंटमेंट फोन किंवा वेबसाइटवर किमान एक दिवस आधी घ्यावी लागते.',
  ],
  fees: [
    'A first consultation costs 600 rupees and a follow-up within two weeks is free.',
    'पहली जाँच की फ़ीस 600 रुपये है और दो हफ़्ते के भीतर दोबारा दिखाना मुफ़्त है।',
    'पहिल्या तपासणीची फी 600 रुपये आहे आणि दोन आठवड्यांत पुन्हा दाखवणे मोफत आहे.',
  ],
  reports: [
    'Blood reports are ready after six hours and are sent by e-mail.',
    'खून की रिपोर्ट छह घंटे में तैयार होती है और ईमेल से भेजी जाती है।',
    'रक्ताचा अहवाल सहा तासांत तयार होतो आणि ईमेलने पाठवला जातो.',
  ],
  fasting: [
    'Come with an empty stomach for a sugar test: eat nothing for ten hours, water is allowed.',
    'शुगर टेस्ट के लिए खाली पेट आएँ: दस घंटे कुछ न खाएँ, पानी पी सकते हैं।',
    'शुगर टेस्टसाठी उपाशी या: दहा तास काही खाऊ नका, पाणी चालते.',
  ],
  insurance: [
    'We work with all large health insurers; bring your policy card and an identity document.',
    'हम सभी बड़ी स्वास्थ्य बीमा कंपनियों के साथ काम करते हैं; पॉलिसी कार्ड और पहचान पत्र लाएँ।',
    'आम्ही सर्व मोठ्या आरोग्य विमा कंपन्यांसोबत काम करतो; पॉलिसी कार्ड आणि ओळखपत्र आणा.',
  ],
  vaccination: [
    'Children are vaccinated on Tuesdays and Saturdays; bring the vaccination booklet.',
    'बच्चों का टीकाकरण मंगलवार और शनिवार को होता है; टीके की किताब साथ लाएँ।',
    'मुलांचे लसीकरण मंगळवारी आणि शनिवारी होते; लसीकरण पुस्तिका सोबत आणा.',
  ],
  emergency: [
    'The emergency room is staffed day and night; an ambulance can be called on the same number.',
    'आपातकालीन कक्ष दिन-रात खुला रहता है; एम्बुलेंस उसी नंबर पर बुलाई जा सकती है।',
    'आपत्कालीन कक्ष दिवसरात्र सुरू असतो; रुग्णवाहिका त्याच क्रमांकावर बोलावता येते.',
  ],
  'home-visit': [
    'A nurse visits patients above 70 at home for dressings and injections.',
    'सत्तर साल से ऊपर के मरीज़ों के घर नर्स पट्टी और इंजेक्शन के लिए आती है।',
    'सत्तर वर्षांवरील रुग्णांच्या घरी परिचारिका पट्टी आणि इंजेक्शनसाठी येते.',
  ],
};
