/** The demo organization: a shop in Pune that a newcomer can ask about. Its texts are data, not behaviour. */
export const demoOrganization = {
  OrgKeyID: '7b1e0c52-2f7a-4f0e-9a55-6c1f3b2d8e10',
  OrganizationName: 'Demo Bazaar',
  timezone: 'Asia/Kolkata',
  defaultRegion: 'IN',
  owner: { email: 'owner@demo-bazaar.example', name: 'Asha Kulkarni' },
};

export const demoKnowledgeBase = { KnowledgeBaseName: 'Demo Bazaar', IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1,2' };

const openDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const hours = { open_time: '09:30 AM', close_time: '07:00 PM' };

export const demoProfile = {
  business_name: 'Demo Bazaar',
  business_type: 'Shop',
  industry: 'Retail',
  office_address: '14 MG Road, Pune',
  working_hours: [...openDays.map((day) => ({ day, ...hours, is_open: true })), { day: 'Sunday' as const, ...hours, is_open: false }],
  timezone: demoOrganization.timezone,
};

export const demoFaqs = [
  { Question: 'When are you open?', Answer: 'We are open Monday to Saturday from 9:30 AM to 7:00 PM. On Sundays we are closed.' },
  { Question: 'Where is the shop?', Answer: 'You find us at 14 MG Road, Pune, opposite the main post office.' },
  { Question: 'When do you deliver?', Answer: 'Within three working days in Pune, and within a week elsewhere in India.' },
  { Question: 'How much does delivery cost?', Answer: 'Delivery is free above ₹999; below that it costs ₹60.' },
  { Question: 'How can I pay?', Answer: 'By UPI, card or net banking, or in cash when we deliver.' },
  { Question: 'Can I return a product?', Answer: 'Yes, within 30 days, unused and with the bill. We collect it from your home.' },
  { Question: 'आप कब खुले रहते हैं?', Answer: 'हम सोमवार से शनिवार सुबह 9:30 बजे से शाम 7 बजे तक खुले रहते हैं। रविवार को दुकान बंद रहती है।' },
  { Question: 'डिलीवरी कब होती है?', Answer: 'पुणे में तीन कार्य दिवसों में, और बाकी भारत में एक सप्ताह के भीतर।' },
  { Question: 'तुम्ही कधी उघडे असता?', Answer: 'आम्ही सोमवार ते शनिवार सकाळी 9:30 ते संध्याकाळी 7 पर्यंत उघडे असतो. रविवारी दुकान बंद असते.' },
  { Question: 'माल परत करता येतो का?', Answer: 'हो, 30 दिवसांच्या आत, न वापरलेला आणि बिलासह. आम्ही तो घरून घेऊन जातो.' },
];

export const demoAgent = {
  TemplateID: 0,
  AgentName: 'Maya',
  AgentDescription:
    'You are Maya, the friendly front desk of Demo Bazaar, a household goods shop in Pune. Answer about opening hours, delivery, payment and returns; for anything else, offer to pass the question on.',
  AgentTypeID: 1,
  RegionTypeID: 1,
  TimeZoneID: 1,
  IndustryTypeID: 1,
  LanguageID: 1,
  ToneID: 1,
  IconID: 1,
  Greeting: 'Hello, this is Maya of Demo Bazaar. How can I help you?',
};
