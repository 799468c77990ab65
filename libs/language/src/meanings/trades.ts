/** Words of many trades, as customers use them, in English, Hindi, Marathi and romanized, one group of synonyms per line. */
export const trades = `
vaccine vaccination vaccinated shot jab injection immunisation tika teeka las टीका टीके टीकाकरण इंजेक्शन लस लसीकरण
stitch stitches suture sutures tanke take टाँके टांके टाके
operation operate operates surgery surgical shastrakriya ऑपरेशन सर्जरी शस्त्रक्रिया
bath bathe bathing shower nahana nehlana nahlana anghol snan नहाना नहलाना नहलाने स्नान आंघोळ अंघोळ
groom grooming trim haircut styling katai saj ग्रूमिंग
nail nails claw nakhun nakh नाखून नाखुन नख नखे
puppy pup pilla pillu पिल्ला पिल्लू पिल्ले > dog
stray street awara bhatka आवारा भटका भटके सड़क रस्त्यावरील
adopt adoption adopting god dattak गोद दत्तक
rabbit bunny khargosh sasa खरगोश ससा ससे
parrot tota popat तोता पोपट
bird birds pakshi पक्षी > parrot popat tota तोता पोपट
fish machhli masa मछली मछलियाँ मासोळी
emergency urgent accident aapatkal tatdi आपातकाल आपातकालीन इमरजेंसी इमर्जन्सी इमर्जन्सीत तातडी आपत्कालीन अपघात
ambulance rugnavahika एम्बुलेंस अँब्युलन्स रुग्णवाहिका
consultation consult opinion salah salla परामर्श सलाह सल्ला
disease illness sick sickness bimari aajar बीमारी बीमार रोग आजार आजारी
swallow swallowed nigla nigalna निगल निगलना गिळले गिळणे
feed fed fasting hungry empty upas khilana खिलाना भूखा उपाशी उपवास
pregnancy maternity garbhavastha गर्भावस्था गरोदरपण
massage malish मालिश मसाज
beard shave dadhi दाढ़ी दाढी शेविंग
makeup bridal mekap मेकअप दुल्हन नवरी
bride bridal vadhu dulhan navri दुल्हन वधू वधु नववधू नवरी
bridegroom dulha navra navrdev दूल्हा नवरदेव
haircut haircuts katai baal kes कटिंग कटाई > cut trim कापणे काटना katna
wedding marriage shaadi lagna शादी विवाह लग्न लग्नाचे
priest pandit guruji purohit पंडित पुजारी पुरोहित गुरुजी
decorate decoration decorator sajavat sajawat सजावट डेकोरेशन
flower flowers floral phool ful फूल फूलों फुले फुलांचे
music dj song songs band gana gaane gani संगीत गाना गाने गाणी गाणे डीजे बाजा
firework fireworks cracker crackers patakha patakhe fatake पटाखा पटाखे आतिशबाज़ी फटाके
alcohol liquor whisky whiskey beer rum drinks sharab daru शराब दारू मद्य
caterer catering cook chef rasoiya aachari कैटरर केटरर रसोइया आचारी स्वयंपाकी
plate plates thali thalis serving portion platter ताट थाली थाळी प्लेट
menu dishes dish items vyanjan padarth मेनू मेन्यू व्यंजन पदार्थ
taste tasting sample chakhna chav स्वाद चखना चव
capacity hold holds fit fits accommodate seats क्षमता मावतात मावतील बसतील
guests people persons mehman pahune मेहमान पाहुणे माणसे
generator inverter backup जनरेटर > power electricity light lights current बिजली लाइट लाईट वीज
power electricity light lights current bijli vij बिजली लाइट लाईट वीज
stage mandap manch मंच मंडप स्टेज
chair chairs kursi khurchi कुर्सी कुर्सियाँ खुर्ची खुर्च्या
tent shamiana तंबू शामियाना
dress costume outfit poshakh poshak पोशाक वेशभूषा
photograph photographer photography camera photo tasveer कैमरा फोटोग्राफर छायाचित्रकार फोटो
video videography shooting वीडियो व्हिडिओ
invitation card nimantran patrika निमंत्रण आमंत्रण पत्रिका
sleep stay overnight rahna mukkam रहना ठहरना राहणे मुक्काम > room rooms
relatives relative rishtedar natevaik रिश्तेदार नातेवाईक > guest guests family
token advance deposit down upfront peshgi bayana visar anamat पेशगी बयाना एडवांस अग्रिम विसार अनामत आगाऊ अॅडव्हान्स
amount sum money rakam rakkam राशि रकम रक्कम
balance remaining rest due baki bakaya urlele बाकी बकाया शेष उर्वरित उरलेले
deposit security refundable anamat jamanat जमानत अनामत डिपॉझिट डिपॉजिट
full complete whole entire pura poora purn पूरा पूरी पूर्ण संपूर्ण
document documents paper papers proof identity id aadhaar aadhar kagaz kagadpatre कागज कागज़ कागज़ात कागदपत्रे आधार ओळखपत्र पहचान दस्तावेज़
address residence पता पत्ता निवास
prescription chitthi parchi पर्ची चिट्ठी चिठ्ठी प्रिस्क्रिप्शन
spectacles glasses eyewear chashma chashme चश्मा चश्मे चष्मा चष्मे
lens lenses लेंस लेन्स
optometrist optician
eye eyes vision sight aankh aankhen dole आँख आँखें आँखों डोळा डोळे डोळ्यांची
check test tested testing examine checkup tapas tapasni तपास तपासणी तपासून तपासता जाँच जांच
varifocal varifocals progressive bifocal प्रोग्रेसिव
dizzy dizziness used adjust chakkar चक्कर
hinge hinges joint kabja
snap snapped broken break damage torn tuta tutla टूटा टूट तुटला तुटले मोडला
cover covered coverage included protect शामिल समाविष्ट कवर > guarantee warranty insurance
scratch scratches khronch ghaav खरोंच ओरखडा ओरखडे
ready finished prepared taiyar tayar तैयार तयार
collect pick pickup fetch ghene uthana
keep kept store stored hold held rakhna thevne रखना ठेवणे ठेवता ठेवतात ठेवाल
home doorstep house doorsteps ghar ghari घर घरी घरपोच
elderly senior seniors old aged buzurg vruddh बुज़ुर्ग वृद्ध ज्येष्ठ वयोवृद्ध > grandparents grandmother grandfather aaji ajoba आजी आजोबा दादी दादा नानी नाना seventy sixty
invoice bill receipt gst bil pavti बिल पावती रसीद
company corporate firm companies कंपनी
instalment installment instalments emi kist hapta hapte किस्त किश्त किस्तों हप्ता हप्ते हप्त्याने ईएमआय ईएमआई
interest byaj vyaj ब्याज व्याज
discount concession rebate offer reduction less cheaper chhoot savlat sut छूट रियायत सवलत सूट डिस्काउंट
student students vidyarthi विद्यार्थी छात्र
fee fees charge charges shulk phees फीस फ़ीस शुल्क फी
fine penalty dand jurmana दंड जुर्माना
lost lose missing replacement duplicate kho harav खो गुम हरव हरवला हरवली हरवले डुप्लिकेट
licence license permit dl laisens लाइसेंस परवाना लायसन्स
lesson lessons session sessions class classes sabak paath tas पाठ क्लास वर्ग तासिका
trial demo try sample test namuna ट्रायल डेमो नमुना
certificate certification pramanpatra प्रमाणपत्र सर्टिफिकेट दाखला
batch batches बैच बॅच तुकडी
beginner beginners basic naya nava shuruaat नवशिका नौसिखिया शुरुआती
teacher trainer instructor coach guru shikshak prashikshak शिक्षक प्रशिक्षक सर मॅडम उस्ताद ट्रेनर
female lady ladies woman women mahila bai महिला महिलांसाठी स्त्री औरत लेडी बाई
male gents man men purush पुरुष
car cars four-wheeler gadi gaadi कार चारचाकी
vehicle vehicles gadi gaadi गाड़ी गाड़ियाँ गाडी गाड्या वाहन वाहने > car cars bike bikes scooter two-wheeler
bike scooter two-wheeler motorcycle activa दुचाकी स्कूटर बाइक
petrol diesel fuel indhan पेट्रोल डीज़ल डिझेल इंधन
park parking lot jagah pargking पार्किंग जागा उभी
tyre tyres puncture पंक्चर टायर
service servicing maintenance tune दुरुस्ती सर्विसिंग सर्विस
transport shuttle cab taxi pickup वाहतूक पिकअप टैक्सी
delivery deliver delivered courier shipping pohoch gharpoch डिलीवरी डिलिव्हरी घरपोच पोहोच पहुँचा भेज
distance far kilometre kilometres km radius dur lamb दूर दूरी किलोमीटर लांब अंतर
minimum least kamit न्यूनतम कमीत किमान
maximum jastit जास्तीत अधिकतम कमाल
breakfast nashta nasta नाश्ता न्याहारी नाष्टा
lunch midday dupar दोपहर दुपारचे
dinner supper ratriche रात्रीचे
food meal meals khana jevan खाना भोजन जेवण
vegetarian veg shakahari शाकाहारी व्हेज
vegan jain onion garlic kanda lasun pyaz lahsun प्याज लहसुन कांदा लसूण जैन
spicy spice chilli mirch tikhat teekha तीखा तिखट मिर्च मसालेदार
sugar sugarless diabetic diabetes madhumeh sakhar chini चीनी साखर मधुमेह शुगर
sweet dessert mithai god मिठाई मीठा गोड
rice roti chapati bhakri bread चावल भात रोटी पोळी चपाती भाकरी
egg eggs anda andi अंडा अंडे अंडी
chicken meat mutton nonveg non-veg mansahari मांसाहारी चिकन मटण मांस नॉनव्हेज
pause skip suspend khand खंड थांबवणे रोकना रोक
daily everyday roz roj रोज़ रोज दररोज
weekly week weeks hafta aathvada हफ्ता हफ़्ते आठवडा आठवड्याला साप्ताहिक
monthly month months mahina महीना महीने महिना महिन्याचे महिन्याला मासिक
container box lunchbox steel dabba डिब्बा डबा
plant plants sapling saplings paudha paudhe पौधा पौधे रोप रोपे रोपटे
pot pots planter gamla kundi गमला गमले कुंडी कुंड्या
soil earth mud mitti mati मिट्टी माती
manure compost fertiliser fertilizer khad khat खाद खत
water watering paani pani sinchan पानी पाणी सिंचाई
sun sunlight shade dhoop un savli धूप ऊन छाया सावली
grass lawn turf ghas hirval घास गवत लॉन हिरवळ
garden gardener mali baag bagicha माली माळी बाग बगीचा
pest insect insects bug bugs worm kida kid kide कीड़ा कीड़े कीड किडे कीटक
spray pesticide फवारणी
rain rains monsoon barish paus बारिश पाऊस पावसाळा
season mausam hangam मौसम हंगाम
die dead dried dies died dying wither sukh mar मर सूख मरणे सुकले वाळले
fresh new taza ताज़ा ताजे ताजी
rose gulab गुलाब
mango aam amba आम आंबा आंब्याचे
indoor inside andar अंदर घरातील आतील
outdoor outside bahar बाहर बाहेर
gym exercise fitness workout vyayam kasrat व्यायाम कसरत जिम
yoga yog asana योग योगा
weight fat slim vajan वज़न वजन
swim swimming pool tairna पोहणे तैरना
locker changing kapat लॉकर
towel tauliya tovel तौलिया टॉवेल
carpenter wood furniture sutar badhai lakdi लकड़ी बढ़ई सुतार लाकूड
plumber pipe leak leaking tap nal gal प्लंबर नल पाइप गळती पाणीगळती
electrician wiring fan switch बिजली इलेक्ट्रीशियन वायरमन
paint painting painter rang पेंट रंगकाम रंगाई
clean cleaning cleaner maid safai सफाई साफसफाई स्वच्छता झाडू
washing wash laundry dryclean dhulai धुलाई धुणे लॉन्ड्री
iron ironing press istri इस्त्री प्रेस
tailor tailoring stitch sew silai darji शिंपी दर्जी सिलाई शिलाई शिवणे
saree sari blouse ब्लाउज साड़ी साडी
jewellery gold silver sona chandi सोना सोने चाँदी चांदी दागिने गहने
weigh weight gram grams ग्राम ग्रॅम वजन
screen display स्क्रीन
laptop computer संगणक लैपटॉप
password login account khata खाता खाते लॉगिन
loan finance karz karj कर्ज लोन ऋण
insurance policy claim vima bima विमा बीमा पॉलिसी क्लेम
tax return returns gst कर टैक्स जीएसटी
agent broker commission dalali दलाली कमीशन एजंट दलाल
rent tenant lease kiraya bhade भाडे भाडेकरू किराया किरायेदार
flat apartment house home ghar sadnika सदनिका फ्लॅट फ्लैट घर मकान
lift elevator लिफ्ट उद्वाहक
security guard watchman cctv suraksha सुरक्षा चौकीदार पहारेकरी
pet pets animal animals prani paltu पाळीव पालतू प्राणी > dog puppy cat kitten rabbit bird parrot fish cow
child children kid kids toddler bachcha mul बच्चा बच्चे बच्चों मूल मुले मुलांना लेकरू > son daughter boy girl mulga mulgi मुलगा मुलगी
parent parents palak पालक अभिभावक
accompany accompanied with alone companion saath sobat साथ सोबत अकेला एकटा
inform informed message sms notify tell told kalvane batana सूचना कळवणे कळवता कळते बताना खबर
complaint complain problem issue unhappy takrar shikayat तक्रार शिकायत समस्या अडचण
suggest suggestion feedback sujhav सुझाव सूचना
cancel cancelled cancellation radd रद्द कैंसल कॅन्सल
postpone reschedule shift shifted move moved
refund refunded reimburse wapas parat वापस परत परतावा रिफंड
exchange swap replace replacement badal badlun बदल बदलून बदलना
sale clearance offer सेल ऑफर
gift present voucher bhet uphar भेट भेटवस्तू उपहार गिफ्ट
pack packing packed wrap पैकिंग पॅकिंग
sealed unopened unused सीलबंद
tablet tablets pill pills medicine medicines drug goli dawa गोली गोलियाँ गोळी गोळ्या दवा दवाई औषध औषधे
allergy allergic reaction एलर्जी ऍलर्जी
report result reports ahwal रिपोर्ट अहवाल परिणाम
blood urine khoon rakt रक्त खून लघवी
appointment slot booking apoinment अपॉइंटमेंट
queue wait waiting line pratiksha thamb इंतज़ार थांबावे थांबणे प्रतीक्षा रांग लाइन
walk-in walkin without-appointment bina विना बिना
ring dial call phone contact फोन कॉल संपर्क
speak talk meet bolne बोलणे बोलायचे बात भेटणे मिलना
branch shop outlet store shakha dukan शाखा दुकान ब्रांच
map location direction route rasta pata रास्ता मार्ग पत्ता नकाशा
near nearby close beside next opposite behind jawal paas जवळ पास नज़दीक शेजारी समोर मागे
bus stop stand station थांबा स्थानक
floor upstairs downstairs majla manzil मजला मंज़िल
wheelchair ramp disabled divyang apang दिव्यांग अपंग व्हीलचेअर व्हीलचेयर
toilet washroom restroom shauchalay शौचालय स्वच्छतागृह वॉशरूम
drinking water paani pani पिण्याचे पीने पाणी पानी
air-conditioned conditioned ac एसी वातानुकूलित
smoke smoking cigarette dhumrapan धूम्रपान सिगारेट सिगरेट
checkout checking-out चेकआउट चेक-आउट
checkin चेकइन चेक-इन
quiet noise loud silent shant शांत गोंगाट शोर आवाज
allowed permitted permission parvangi परवानगी अनुमति
rule rules niyam नियम
own swatah apna स्वतःचे स्वतःचा स्वतःची आपले अपना अपनी अपने > outside personal बाहेरचे बाहर
book books kitab pustak किताब किताबें पुस्तक पुस्तके
exam pariksha परीक्षा
uniform ganvesh गणवेश यूनिफॉर्म
shoes footwear chappal boot जूते चप्पल बूट
size small medium large maap साइज माप नाप आकार
colour color shade rang रंग
cotton suti सूती कॉटन
silk reshmi रेशमी रेशम सिल्क
fabric kapda cloth कापड कपड़ा > cotton silk wool linen
handmade homemade gharguti घरगुती घर हाताने
organic natural jaivik sendriya जैविक सेंद्रिय
expiry expire spoil spoils kharab खराब
last lasts lasting tikna tikta tikte टिकना टिकता टिकती टिकते टिकतात
fridge refrigerator cold thanda फ्रिज थंड ठंडा
reheat heat warm hot garam गरम
festival san tyohar सण त्योहार > diwali holi eid ganesh dussehra padwa
holiday vacation leave absence sutti chhutti सुट्टी सुट्टीत छुट्टी छुट्टियों अवकाश
early earliest lavkar जल्दी लवकर
late latest ushira der उशीर उशिरा देर
start begin commence suru शुरू सुरू सुरुवात
end finish sampte khatam खत्म संपते संपतो
duration avadhi kalavadhi अवधि कालावधी
age vay umar वय उम्र वयोमर्यादा
group groups gat समूह गट ग्रुप
couple pair jodi जोडी जोड़ी जोडपे
repair fix mend servicing durust marammat दुरुस्त दुरुस्ती मरम्मत ठीक
install fitting fit fix lav basav बसव बसवून लावून लगाना
warranty guarantee hami वॉरंटी वारंटी हमी गॅरंटी गारंटी
old used second-hand purana juna पुराना पुरानी पुराने जुना जुनी जुने
donate donation give away trust charity daan दान देणगी
recycle scrap bhangar raddi भंगार रद्दी कबाड़
remove removed removal taken pulled kadh nikal काढ काढतात काढणे निकाल निकालना
cleanly hygiene hygienic gloves masks swachh स्वच्छ साफ
doctor doctors dr specialist vet vets veterinarian surgeon physician डॉक्टर वैद्य
diwali deepavali dipavali divali दिवाली दीपावली दिवाळी
holi होली होळी rangpanchami रंगपंचमी
dussehra dasara vijayadashami दशहरा दसरा विजयादशमी
ganesh ganpati chaturthi गणेश गणपती चतुर्थी
republic प्रजासत्ताक गणतंत्र
independence स्वातंत्र्य स्वतंत्रता
christmas natal xmas क्रिसमस नाताळ ख्रिसमस
eid ramzan ramadan ईद रमज़ान रमजान
sankranti sankrant makar संक्रांति संक्रांत मकर
rakhi raksha rakshabandhan bandhan राखी रक्षाबंधन
padwa padva gudhi gudi पाडवा पाड़वा पड़वा गुढी गुड़ी गुढीपाडवा
bhaubeej bhaidooj भाऊबीज
navratri navaratri नवरात्रि नवरात्री नवरात्र
jayanti birth anniversary जयंती
shivratri mahashivratri शिवरात्रि शिवरात्री महाशिवरात्री
labour maharashtra कामगार महाराष्ट्र
annual yearly varshik वार्षिक सालाना
inventory stocktaking stock मोजणी गिनती स्टॉक
picnic outing trip sahal सहल पिकनिक
fair mela jatra yatra मेला जत्रा यात्रा
election voting matdan chunav चुनाव निवडणूक मतदान
painting renovation repairs rang रंगकाम नूतनीकरण
training prashikshan workshop प्रशिक्षण कार्यशाळा ट्रेनिंग
mosquito mosquitoes machhar macchar dans मच्छर मच्छरों डास डासांची
rat mouse mice rodent chuha chuhe undir चूहा चूहे चूहों उंदीर उंदरांच्या उंदरांची उंदरांसाठी
cockroach tilchatta jhural zural तिलचट्टा तिलचट्टे तिलचट्टों कॉकरोच झुरळ झुरळे झुरळांची
bedbug bug khatmal dhekun खटमल खटमलों ढेकूण ढेकणांची
termite deemak dimak valvi दीमक वाळवी वाळवीच्या
woodborer borer ghun bhunga घुन भुंगा
wardrobe cupboard almirah almari kapat frame door अलमारी कपाट चौकट
spray spraying chhidkav favarni छिड़काव छिड़कना छिड़कते फवारणी
play bajana bajna vajavne बजाना बजना बजता बजती बज वाजवणे वाजवता
swim swimming tairna pohne तैरना तैरने पोहणे पोहण्यास पोहता
royal grand shahi rajeshahi शाही राजेशाही
grind grinding pisna pisai dalan पीसना पिसाई पिसवाना दळण दळायचे दळायला
hoof hooves khur खुर
millet bajra bajri बाजरा बाजरी
sorghum jowar jwari ज्वार ज्वारी
turmeric haldi halad हल्दी हळद
goat bakri sheli बकरी शेळी
sheep bhed mendhi भेड़ मेंढी
calf bachhda vasru बछड़ा वासरू
teak sagwan sagaun सागौन सागवान
rosewood sheesham shisham shisav शीशम शिसव
swing jhula zopala झूला झोपाळा
`;
