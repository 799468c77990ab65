/** Things, people and qualities of everyday business in English, Hindi, Marathi and romanized, one group of synonyms per line. */
export const things = `
student pupil learner candidate vidyarthi chhatra विद्यार्थी छात्र छात्रा छात्रों विद्यार्थ्यांना
batch class group session बैच कक्षा वर्ग तुकडी सत्र
course class programme program syllabus pathyakram abhyaskram कोर्स पाठ्यक्रम अभ्यासक्रम
subject topic vishay विषय
note notes book material study pustak kitab किताब पुस्तक नोट्स साहित्य वह्या
school vidyalaya shala स्कूल विद्यालय शाळा
university college vidyapeeth mahavidyalay विश्वविद्यालय कॉलेज विद्यापीठ महाविद्यालय
degree qualification experience padvi anubhav डिग्री योग्यता अनुभव पदवी पात्रता
scholarship waiver concession chhatravritti shishyavrutti छात्रवृत्ति वज़ीफ़ा शिष्यवृत्ती
mess canteen cafeteria food kitchen bhojnalay मेस कैंटीन भोजनालय खानावळ उपाहारगृह
tiffin lunchbox dabba डिब्बा टिफिन डबा
breakfast nashta nasta नाश्ता नाष्टा न्याहारी
lunch dopahar dupari दोपहर लंच दुपारचे
dinner supper raat rat डिनर रात्रीचे
vegetarian veg shakahari शाकाहारी वेज व्हेज
nonvegetarian meat chicken mutton fish egg mansahari nonveg anda मांसाहारी मांस मछली चिकन मटण अंडा अंडे मासे vegetarian शाकाहारी
menu dish plate thali food मेनू थाली थाळी पदार्थ
cake pastry bread bakery केक ब्रेड पाव
sweet sweets mithai मिठाई मीठा गोड
spicy tikha teekha तीखा मसालेदार तिखट
tea chai chaha चाय चहा
coffee kaufi कॉफी
milk dairy doodh dudh दूध डेयरी
ice icecream cold baraf thanda बर्फ आइसक्रीम ठंडा आईस्क्रीम थंड
soft liquid mulayam naram मुलायम नरम मऊ
room accommodation suite kamra kholi कमरा कमरे रूम खोली खोल्या
bed berth palang bistar बिस्तर बेड पलंग खाट
key chabi chaavi killi चाबी चावी किल्ली
door gate darwaza darvaja दरवाज़ा गेट दरवाजा फाटक
window khidki खिड़की खिडकी
stairs steps seedhi jina सीढ़ी सीढ़ियाँ जिना पायऱ्या
lift elevator लिफ्ट
wheelchair ramp disabled handicapped viklang divyang apang व्हीलचेयर विकलांग दिव्यांग रैंप व्हीलचेअर अपंग रॅम्प
terrace roof balcony chhat gachchi छत बालकनी गच्ची
garden park lawn bag baag bagicha उद्यान बाग बगीचा लॉन
basement cellar tahkhana talghar तहखाना बेसमेंट तळघर
floor storey level manzil majla मंज़िल मंजिल मजला मजल्यावर माळा
wall deewar bhint दीवार भिंत
kitchen rasoi swayampakghar रसोई किचन स्वयंपाकघर
bathroom toilet washroom restroom shauchalay snangruh शौचालय बाथरूम टॉयलेट स्वच्छतागृह
electricity power light current bijli vij बिजली लाइट वीज पॉवर
generator backup inverter जनरेटर बैकअप इन्व्हर्टर
gas cylinder stove गैस सिलेंडर गॅस
fan ac cooler airconditioner conditioned pankha एसी पंखा वातानुकूलित
heater geyser hot garam गरम गर्म गीज़र गीझर
wifi internet network broadband इंटरनेट वाईफाई वायफाय नेट
television tv screen projector टीवी टीव्ही प्रोजेक्टर
computer laptop pc system कंप्यूटर लैपटॉप संगणक लॅपटॉप
printer scanner copier प्रिंटर स्कॅनर
mobile phone cellphone smartphone मोबाइल फ़ोन फोन मोबाईल
charger charging plug socket चार्जर चार्जिंग
bag luggage baggage backpack saaman samaan thaila pishvi बैग सामान थैला बॅग पिशवी
locker cupboard almirah almari kapat लॉकर अलमारी कपाट
card identity id aadhaar aadhar pan passport pehchan olakhpatra पहचान आधार पासपोर्ट ओळखपत्र आयडी
photo photograph picture tasveer chhayachitra फोटो तस्वीर छायाचित्र
document paper papers kagaz dastavez kagadpatre दस्तावेज़ दस्तावेज कागज़ात कागज कागदपत्रे कागदपत्र
certificate marksheet praman dakhla प्रमाणपत्र मार्कशीट दाखला गुणपत्रिका
bill receipt invoice rasid bil pavti बिल रसीद पावती
cash notes nakad rokh नकद रोख
upi gpay phonepe paytm online digital यूपीआई ऑनलाइन
cheque check dhanadesh चेक धनादेश
instalment installment emi kist kisto hafta hapta parts किस्त किस्तों किश्त हप्ता हप्ते हप्त्यांत हप्त्यांमध्ये
advance deposit down token token peshgi anamat agau अग्रिम पेशगी जमा टोकन अनामत आगाऊ
interest byaj vyaj ब्याज व्याज
tax gst vat duty kar टैक्स कर जीएसटी
loan finance mortgage karz karj लोन ऋण कर्ज कर्जा गृहकर्ज
bank lender बैंक बँक
subsidy anudan सब्सिडी अनुदान
salary pay wage pagar वेतन पगार
rupee money paisa paise rupaye पैसा पैसे रुपये रुपया
percent percentage share pratishat takke प्रतिशत फीसदी टक्के टक्का
half aadha ardha आधा आधी अर्धा अर्धी
double twice dugna duppat दोगुना दुगुना दुप्पट
parent mother father guardian mata pita maa baap aai vadil palak माता पिता माँ पालक अभिभावक आई वडील
child children kid kids baby infant toddler bachcha bacche bachche mul mule बच्चा बच्चे बच्चों बच्ची मूल मुले मुलांना मुलगा मुलगी लहान
boy son ladka beta mulga लड़का बेटा मुलगा
girl daughter ladki beti mulgi लड़की बेटी मुलगी
woman women lady ladies female mahila stri aurat महिला औरत स्त्री महिलांसाठी
man men gents male purush आदमी पुरुष
senior elderly old aged buzurg vriddh jyeshth बुज़ुर्ग वरिष्ठ वृद्ध ज्येष्ठ
family parivar kutumb परिवार कुटुंब
friend companion dost mitra दोस्त मित्र
brother sister sibling bhai bahan behen bhau bahin भाई बहन भाऊ बहीण भावंड
couple husband wife pati patni jodi पति पत्नी नवरा बायको
guest visitor outsider mehman pahuna अतिथि मेहमान पाहुणा पाहुणे
member membership sadasya sadasyata सदस्य सदस्यता सभासद सदस्यत्व
staff worker employee karmachari कर्मचारी स्टाफ
manager boss incharge vyavasthapak प्रबंधक मैनेजर व्यवस्थापक
owner proprietor malik मालिक
doctor dentist physician surgeon daktar चिकित्सक डॉक्टर वैद्य
nurse sister parichari नर्स परिचारिका
patient mareez rugna मरीज़ मरीज रोगी रुग्ण पेशंट
lawyer advocate legal vakil वकील कानूनी कायदेशीर
police guard security suraksha पुलिस सुरक्षा गार्ड पोलीस
soldier army military defence sena fauj fauji sainik सेना सैनिक फौज फौजी लष्कर
farmer kisan shetkari किसान शेतकरी
driver chalak ड्राइवर चालक
plumber electrician mechanic mistri मिस्त्री मैकेनिक प्लंबर मेकॅनिक
agent broker dealer dalal एजेंट दलाल ब्रोकर
blind deaf sight braille andha drushtihin अंधा नेत्रहीन दृष्टिहीन अंध ब्रेल
dog puppy pup kutta kutte kutra कुत्ता कुत्ते कुत्ते कुत्रा कुत्रे कुत्र्यांचे
cat kitten billi manjar बिल्ली मांजर
animal pet pets cattle janwar prani पालतू जानवर प्राणी पाळीव
bird pakshi पक्षी
horse ghoda ghode घोड़ा घुड़सवारी घोडा घोडे घोडेस्वारी
cow gaay gai गाय
buffalo bhains mhais भैंस म्हैस
tree plant sapling paudha ped jhad rop पौधा पेड़ पौधे झाड रोप रोपे
flower phool ful फूल फूल फुले
fruit phal fal फल फळ फळे
vegetable sabzi bhaji सब्ज़ी सब्जी भाजी
seed beej bi biyane बीज बियाणे
soil earth mitti mati मिट्टी माती
fertiliser fertilizer manure compost khad khat खाद उर्वरक खत
grain wheat rice anaj gehu chawal अनाज गेहूँ चावल धान्य गहू तांदूळ
oil ghee tel तेल घी तूप
medicine tablet drug pill dawa aushadh दवा दवाई गोली औषध
tooth teeth dental daant dant dat दाँत दांत दात
eye eyes vision aankh dola आँख आंख डोळा डोळे नज़र
hair kesh baal kes बाल केस
skin twacha chamdi त्वचा चमड़ी
body sharir शरीर अंग
hand arm haath hat हाथ हात
foot leg feet pair paay पैर पाय
head sir doke सिर डोके
heart dil hruday दिल हृदय
fever cold cough bukhar tap khasi बुखार खांसी ताप खोकला सर्दी
pregnant pregnancy garbh garbhvati गर्भवती गर्भ गरोदर
cloth clothes dress garment fabric kapda kapde कपड़ा कपड़े वस्त्र कापड कपडे > shirt trousers saree kurta blazer coat jacket jeans
shoe shoes footwear sandal joota chappal bat जूता जूते चप्पल बूट
jewellery jewelry gold silver ornament gehna dagine sona chandi गहने सोना चाँदी दागिने सोने चांदी
ring angoothi अंगूठी अंगठी
necklace haar हार
watch clock ghadi घड़ी घड्याळ
furniture chair sofa kursi khurchi फर्नीचर कुर्सी खुर्ची
table desk mej मेज़ मेज टेबल डेस्क
book novel kitab pustak किताब किताबें पुस्तक पुस्तके कादंबरी उपन्यास
newspaper magazine periodical akhbar vartamanpatra अखबार पत्रिका वृत्तपत्र मासिक
story tale kahani katha goshta कहानी कथा गोष्ट गोष्टी
library librarian pustakalay granthalay पुस्तकालय ग्रंथालय वाचनालय
reading read reader padhna vachan पढ़ना पढ़ने वाचन वाचायला
hall auditorium venue sabhagruh हॉल सभागार सभागृह
function event programme party celebration karyakram samaroh कार्यक्रम समारोह पार्टी सोहळा
festival diwali holi eid tyohar san त्योहार त्यौहार दिवाली सण दिवाळी
holiday leave vacation off chhutti sutti छुट्टी छुट्टियाँ अवकाश सुट्टी सुटी
birthday anniversary janmdin vadhdivas जन्मदिन वाढदिवस
gift present uphar bhet उपहार तोहफ़ा भेट
ticket pass entry pravesh tikit टिकट पास प्रवेश तिकीट
bus stand stop बस स्टैंड स्टँड
train railway station रेल रेलवे ट्रेन स्टेशन रेल्वे
airport flight plane hawai vimantal हवाई विमानतळ एयरपोर्ट
vehicle gaadi gadi वाहन गाड़ी गाडी > car bike motorcycle scooter कार बाइक
bicycle cycle साइकिल सायकल
truck lorry transport tempo ट्रक ट्रांसपोर्ट टेंपो वाहतूक
road street highway sadak rasta सड़क रास्ता रस्ता मार्ग
bridge pul पुल पूल
village town city gaon shahar gav गाँव शहर गाव नगर
district jilha zila ज़िला जिला जिल्हा
area locality neighbourhood ilaka parisar इलाका क्षेत्र परिसर भाग
distance far near door pass lamb jawal दूरी दूर पास नज़दीक अंतर लांब जवळ
flat apartment bhk sadnika फ्लैट सदनिका फ्लॅट
house home bungalow villa makan ghar bangla घर मकान बंगला
plot land site zamin jamin bhukhand ज़मीन प्लॉट जमीन भूखंड साइट
building tower block wing imarat इमारत टावर टॉवर विंग
possession handover ready kabza taba कब्ज़ा कब्जा ताबा
stamp registration registry mudrank nondani स्टाम्प रजिस्ट्री मुद्रांक नोंदणी
society maintenance upkeep charges dekhbhal रखरखाव देखभाल मेंटेनेंस सोसायटी
carpet builtup area sqft square feet chauras कारपेट वर्गफुट फुट फूट चौरस क्षेत्रफल क्षेत्रफळ
size dimension measurement maap naap aakar आकार साइज़ नाप माप मापाचे
weight heavy kilo kg vajan wajan bhari वज़न वजन भारी जड
length width height lambai unchi लंबाई ऊँचाई चौड़ाई लांबी उंची रुंदी
colour color shade rang रंग
quality grade gunvatta गुणवत्ता दर्जा क्वालिटी
new fresh naya taza nava नया नई ताज़ा नवा नवीन ताजे
old used second purana juna पुराना पुरानी जुना जुने जुनी
open khula ughda खुला खुली उघडा
private personal niji khasgi निजी व्यक्तिगत खाजगी
separate alag vegla अलग वेगळा वेगळे स्वतंत्र
safe safety secure surakshit सुरक्षित सुरक्षा
quiet silent silence noise loud shor shant शांत शांति शोर आवाज शांतता गोंगाट
fast quick speed express jaldi lavkar जल्दी तेज़ गति लवकर वेगाने
late delay delayed der ushir देर देरी उशीर विलंब
parking gaadi gadi गाड़ी गाडी पार्किंग
urgent emergency immediately turant tatdi आपात आपातकाल इमरजेंसी तुरंत तातडी आपत्कालीन ताबडतोब
free complimentary muft mofat fukat मुफ़्त मुफ्त निःशुल्क मोफत फुकट
included inclusive shamil samavisht शामिल समाविष्ट
extra additional alag atirikt jada jaasti अतिरिक्त अलग जादा वेगळे
spare part component purza sutte पुर्ज़ा पुर्जा पार्ट भाग सुटे
machine equipment tool yantra auzar मशीन यंत्र औज़ार अवजार उपकरण
engine motor pump इंजन मोटर पंप इंजिन
tyre tire टायर
wheel chaak pahiya पहिया चाक
battery cell बैटरी बॅटरी
fuel petrol diesel indhan पेट्रोल डीज़ल ईंधन डिझेल इंधन
box carton package packing dabba khoka डिब्बा पैकिंग पेटी खोके खोका डबा
seal lock sealed सील कुलूप ताला
bottle botal batli बोतल बाटली
bag sack bori pota बोरी थैली पोते गोणी
piece unit nag nang नग पीस
sample demo trial namuna नमूना डेमो ट्रायल नमुना
catalogue brochure list suchi yadi सूची लिस्ट यादी कॅटलॉग माहितीपत्रक
website app portal site वेबसाइट ऐप संकेतस्थळ अॅप
language english hindi marathi medium bhasha madhyam भाषा माध्यम इंग्रजी अंग्रेज़ी हिंदी मराठी
age old years umar umr vay उम्र आयु वय वयाची
weekend saturday शनिवार
weekend sunday रविवार
morning subah sakal सुबह सवेरे सकाळ सकाळी
evening shaam sandhyakal शाम संध्याकाळ संध्याकाळी सायंकाळी
afternoon noon dopahar dupar दोपहर दुपार दुपारी
night raat ratri रात रात्र रात्री
monday somvar somwar सोमवार सोमवारी
tuesday mangalvar mangalwar मंगलवार मंगळवार मंगळवारी
wednesday budhvar budhwar बुधवार बुधवारी
thursday guruvar guruwar गुरुवार गुरुवारी
friday shukravar shukrawar शुक्रवार शुक्रवारी
saturday shanivar shaniwar शनिवार शनिवारी
sunday ravivar raviwar itwar रविवार इतवार रविवारी
april epril अप्रैल एप्रिल
november नवंबर नोव्हेंबर
`;

/** Activities in English, Hindi, Marathi and romanized, one group of synonyms per line. */
export const acts = `
arrive reach come deliver delivery pahunchna pahuchna pohochne पहुँचना पहुँचेगा पहुँचते पहुंचना पहुंचेगा पोहोचणे पोहोचेल पोहोचायला
leave vacate checkout departure nikalna छोड़ना खाली निकलना सोडणे निघणे
wait queue intezar intazaar thambne इंतज़ार इंतजार प्रतीक्षा थांबणे थांबावे वाट
stop halt band rukna थांबणे थांबले रुकना रुके रोकना बंद
begin start commence shuru suru शुरू शुरुआत आरंभ सुरू सुरुवात
finish complete end last khatam poora purn sampne समाप्त ख़त्म खत्म पूरा पूर्ण संपणे संपते
carry bring fetch lana laana aanne लाना लेकर लाएँ आणणे आणावे आणायचे आणायला
fetch collect pickup ghyayla न्यायला उचलणे उठाना
wear dress uniform pehanna ghalne पहनना पहनें यूनिफॉर्म पोशाक घालणे गणवेश
sit seat baithna basne बैठना बैठने बसणे बसायला बसता
sleep stay overnight rukna thahrna sona rahne mukkam सोना रुकना ठहरना ठहर रहना राहणे राहायला मुक्काम झोपणे
lose lost misplace kho gum haravne खोना खोया खोई गुम हरवणे हरवली हरवला हरवले
find found milna sapadne मिला मिली सापडणे सापडले
break broken damage torn tootna tuta toota phata modne टूटना टूटा टूट फटा फटी तुटणे तुटला मोडणे मोडले फाटले नुकसान
repair fix mend service marammat theek durust मरम्मत ठीक सुधारना दुरुस्त दुरुस्ती
wash clean laundry dhona saaf dhune धोना धुलाई साफ धुणे स्वच्छ
cook prepare bake pakana banana shijavne पकाना बनाना बनवणे शिजवणे
order request demand ask mangwana magavne मँगवाना मंगवाना मंगाना ऑर्डर मागवणे मागणी
choose select pick pasand chunna nivadne चुनना पसंद निवडणे निवड
change exchange swap replace badalna badalne बदलना बदल बदलवाना बदलणे बदलून
cancel withdraw radd cancel रद्द कैंसिल कैंसल
refund reimburse wapas वापस रिफंड परतावा परत
reserve book booking advance बुक बुकिंग आरक्षण आरक्षित राखून
pay payment settle bharna chukana bhugtan bharne भुगतान चुकाना भरना भरणे भरायचे भरावे देयक पेमेंट
save saving discount concession rebate chhoot savlat sut kam बचत छूट रियायत सवलत सूट कमी कम
earn income salary kamai pagaar कमाई वेतन तनख्वाह पगार उत्पन्न
insure insurance cover claim bima vima बीमा विमा क्लेम
sign signature dastakhat sahi दस्तखत हस्ताक्षर सही स्वाक्षरी
fill form apply application bharna arj आवेदन फॉर्म अर्ज भरणे
join enrol enroll admission register pravesh dakhila nondani दाखिला प्रवेश एडमिशन पंजीकरण नोंदणी
teach teacher tutor instructor coach faculty professor guru padhata sikhata sikhata sikhate shikavto shikavte shikshak पढ़ाता पढ़ाते पढ़ाती सिखाता सिखाते सिखाती शिक्षक अध्यापक प्राध्यापक शिकवतो शिकवतात शिकवते
learn study practise practice rehearse seekhna abhyas sarav सीखना अभ्यास पढ़ाई सराव शिकणे
attend present presence attendance upasthit hajir hazri उपस्थित हाज़िरी हाजिरी उपस्थिती हजेरी
absent miss missed absence chhuttna gairhajir gair chukla अनुपस्थित छूट गैरहाज़िर छूटी गैरहजर चुकला चुकवला आलो
pass qualify clear paas उत्तीर्ण पास
fail napas fel फेल असफल नापास
test exam examination paper pariksha chachni परीक्षा टेस्ट चाचणी
result marks score grade nikal parinam परिणाम नतीजा निकाल गुण अंक
speak talk language bolna bhasha bolne बोलना बात भाषा बोलणे बोलता
hear listen sound sunna aikne सुनना आवाज़ ऐकणे आवाज
see look show watch dekhna dikhana baghne pahne देखना दिखाना बघणे बघायला पाहणे पाहायला दाखवणे
ask question enquire enquiry puchna vicharne पूछना पूछताछ सवाल विचारणे चौकशी प्रश्न
answer reply uttar jawab उत्तर जवाब
write written likhna lihine लिखना लिखित लिहिणे लेखी
send post mail dispatch courier bhejna pathavne भेजना भेजेंगे कूरियर पाठवणे पाठवा कुरियर
receive get recipient prapt milna पाना प्राप्त मिलेगा मिळणे मिळेल
deliver delivery home parcel doorstep pahunchana gharpoch डिलीवरी पहुँचाना घर घरपोच डिलिव्हरी
carry load lift weight uthana vahtuk ढोना उठाना वाहतूक
travel trip tour journey yatra safar pravas sahal यात्रा सफर सैर टूर प्रवास सहल
drive driver chalana chalak ड्राइवर चालक चलाना चालवणे
park parking lagana gadi paarking पार्किंग लगाना खड़ी लावणे लावायची लावू
ride sawari swari सवारी स्वारी
swim pool tairna pohne तैरना तैराकी पोहणे पोहायला स्विमिंग
play game sport khel khelna khelne खेल खेलना खेळ खेळणे
dance nritya naach nach नृत्य नाच डांस
sing singing vocal song gayan gaana gane गाना गायन गाणे
smoke smoking cigarette tobacco bidi dhumrapan सिगरेट धूम्रपान तंबाकू बीड़ी तंबाखू
drink alcohol liquor wine beer sharab daru पीना शराब दारू पिणे मद्य
eat food meal dining khana jevan khane खाना भोजन खाने जेवण खाणे
bite chew press dabana chavne dabane दबाना दबाकर चबाना चावणे दाबणे दाबून
rinse spit gargle kulla kulli thukna कुल्ला थूकना चूळ थुंकणे
remove extract extraction pull nikalna nikalwana kadhne निकालना निकलवाना निकलवाने निकालने काढणे काढल्यानंतर काढायला काढून
treat treatment cure therapy ilaj upchar उपचार इलाज चिकित्सा
check examine inspect inspection checkup janch tapasne tapasni जाँच जांच परीक्षण तपासणे तपासता तपासणी
bleed bleeding blood khoon rakt khun खून रक्त ब्लीडिंग
hurt pain ache dard dukhne दर्द दुखना दुखणे दुखते वेदना
born birth date janm जन्म
marry marriage wedding shaadi vivah lagna शादी विवाह लग्न
die death mrityu nidhan मृत्यु निधन मृत्यू
complain complaint grievance shikayat takrar शिकायत तक्रार
allow permit permission ijazat anumati parvangi अनुमति इजाज़त इजाजत परवानगी मुभा
forbid forbidden banned prohibited mana mana bandi मना मनाई निषेध बंदी सक्त
must required compulsory mandatory necessary zaroori garajeche anivarya ज़रूरी जरूरी अनिवार्य आवश्यक गरजेचे बंधनकारक लाज़मी
help assist support madad madat मदद सहायता मदत सहाय्य
donate donation charity daan दान देणगी
borrow lend issue loan udhaar उधार उसने
rent rental hire lease kiraya kiraye bhade bhadyane किराया किराए किराये भाडे भाड्याने
return wapas lautana parat लौटाना लौटाने वापस वापसी परत परतफेड
renew extend extension navinikaran badhana वाढवणे बढ़ाना नवीनीकरण नूतनीकरण मुदतवाढ
delay late overdue der vilamb ushir देर देरी विलंब उशीर उशिरा
fine penalty jurmana dand जुर्माना दंड
print copy xerox photocopy chhapna प्रिंट छपाई ज़ेरॉक्स झेरॉक्स छापणे प्रत
build construct construction banana bandhkam निर्माण बनाना बांधकाम बांधणे
buy purchase shop kharid kharidna vikat ghene खरीद खरीदना खरीदारी विकत खरेदी
sell sale bechna vikne बेचना बिक्री विकणे विक्री
invest investment nivesh guntavnuk निवेश गुंतवणूक
visit tour view see dekhne bhet भेंट देखने भेट पाहणी
meet meeting appointment milna bhetne मिलना मुलाकात भेटणे भेट
call phone ring contact dial फोन कॉल संपर्क
plant grow sow lagana ugana lavne रोपना उगाना लगाना बोना लावणे लागवड पेरणे
water irrigate sinchai paani पानी सिंचाई पाणी
feed feeding khilana भोजन चारा खिलाना
install fit fitting mount lagana bithana basavne लगाना लगवाना फिटिंग बसवणे बसवून बसवतो बसवून
drill hole chhed bhok छेद ड्रिल भोक
cut trim stitch sew tailoring silai shivne kapne काटना सिलाई कटाई कापणे शिवणे शिलाई
iron press istri इस्त्री प्रेस
dry sukhana sukavne सुखाना सूखा वाळवणे सुकवणे कोरडे
paint colour rangna ranga पेंट रंगाई रंग रंगवणे
guarantee warranty assure hami वारंटी गारंटी वॉरंटी हमी
approve approval sanction manjuri मंज़ूरी मंजूरी स्वीकृति
prove proof evidence certificate pramanpatra सबूत प्रमाण प्रमाणपत्र पुरावा दाखला
forget forgot forgotten lost lose left misplaced भूल भूलना भूला छूट छूटा विसरणे विसरला विसरलो
breakdown stranded stuck stall stalled conk puncture खराब बिघाड बंद
ruin ruins ruined spoil spoils spoiled wreck wrecked destroy बर्बाद बिगाड़ना नासणे नासाडी
alone solo single myself unaccompanied अकेला अकेली अकेले एकटा एकटी
chauffeur driver wheel ड्राइवर चालक
picture pictures photo photos image photograph तस्वीर तस्वीरें फोटो चित्र
material cloth fabric stuff textile कपड़ा कापड
flight flights plane aeroplane airline airport विमान हवाई
occasion function ceremony event celebration party समारोह कार्यक्रम समारंभ
drawback catch condition conditions terms rule rules शर्त शर्तें अट अटी नियम
penalty fine penalised punish दंड जुर्माना
eldest oldest aged senior seniors elderly pensioner pensioners बुजुर्ग ज्येष्ठ
handicap handicapped wheelchair disabled crutches विकलांग दिव्यांग अपंग
vegetarian veggie veg शाकाहारी
toddler infant newborn little kid kids child बच्चा बाळ मूल
doggy doggie pup puppy dog कुत्ता कुत्रा
kitty kitten cat बिल्ली मांजर
cab taxi ride टैक्सी टॅक्सी
mum mom mother dad father parent parents माँ पिता आई वडील
gents men man gentleman पुरुष
stay sleep overnight accommodate lodge रुकना ठहरना राहणे मुक्काम
cash notes coins currency नकद रोख
app online internet web website ऑनलाइन ऐप संकेतस्थळ
collect fetch pickup retrieve receive लेना उठाना घेणे नेणे
complain complaint unhappy dissatisfied displease dislike hate शिकायत तक्रार नाराज
guarantee promise assure warranty गारंटी वारंटी हमी
`;
