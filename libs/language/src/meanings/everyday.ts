/** Everyday words in English, Hindi, Marathi and romanized, one group of synonyms per line. */
export const everyday = `
read reading padhna padhai vachan पढ़ना पढ़ते पढ़ाई वाचन वाचणे
teach teaches taught padhana padhate padhata padhati shikavne shikavta पढ़ाना पढ़ाते पढ़ाता पढ़ाती सिखाना शिकवणे शिकवते शिकवतो शिकवता
learn study seekhna shikne सीखना शिकणे शिकतो शिकते अभ्यास
student pupil vidyarthi chhatra विद्यार्थी छात्र छात्रा
school shala vidyalaya स्कूल शाळा विद्यालय
college mahavidyalaya कॉलेज महाविद्यालय
mathematics math maths ganit गणित
physics bhautik भौतिक भौतिकी भौतिकशास्त्र
chemistry rasayan रसायन रसायनशास्त्र
biology jeev जीव जीवविज्ञान जीवशास्त्र
science vigyan विज्ञान
marks score ank gun अंक गुण नंबर
scholarship concession chhatravritti shishyavritti छात्रवृत्ति शिष्यवृत्ती
half aadha adha ardha आधा आधी अर्धा अर्धी
hostel vasatigruh हॉस्टल छात्रावास वसतिगृह
bed palang बिस्तर पलंग खाट बेड
seat jagah सीट जगह जागा
gate darwaza दरवाज़ा दरवाजा गेट फाटक
library pustakalay granthalay लाइब्रेरी पुस्तकालय ग्रंथालय वाचनालय
book kitab kitaab kitabein pustak किताब किताबें पुस्तक पुस्तके
lost lose kho gum haravle harvle खोना खो खोई गुम हरवले हरवली हरवणे
fine penalty jurmana dand जुर्माना दंड
late delay der ushira देर उशीर उशिरा
deposit jamanat anamat जमानत जमा अनामत
photo photograph tasveer फोटो छायाचित्र
copy photocopy प्रतिलिपि फोटोकॉपी
internet wifi net वाईफाई वाई-फाई इंटरनेट
speed fast gati tez गति तेज़ वेग
noise quiet silent shanti शोर शांति शांतता आवाज
meeting baithak बैठक मीटिंग सभा
desk table mez टेबल मेज डेस्क
large big bada badi motha mothi बड़ा बड़ी मोठा मोठी मोठे
small little chhota chhoti lahan छोटा छोटी लहान
new naya nayi nava navin नया नई नवा नवीन
brother bhai bhau भाई भाऊ
sister bahan behen bahin बहन बहीण
daughter girl beti ladki mulgi बेटी लड़की मुलगी
son boy beta ladka mulga बेटा लड़का मुलगा
parent mother father mata pita maa baap aai vadil माता पिता माँ मां बाप आई वडील पालक
wife husband patni pati bayko navra पत्नी पति बायको नवरा
soldier army fauji sainik jawan फ़ौजी फौजी सैनिक जवान सेना
farmer kisan shetkari किसान शेतकरी
doctor dentist daktar डॉक्टर
tooth teeth dental daant dant daat दाँत दांत दात दातांचे
gum masuda मसूड़ा हिरड्या
pain ache dard dukhne दर्द दुखणे वेदना
blood bleeding khoon rakt खून रक्त
extraction pull pulled remove nikalna nikalne nikalwana kadhne kadhlyanantar निकालना निकलवाने निकालने काढणे काढल्यानंतर काढायला
smoke smoking cigarette dhumrapan सिगरेट धूम्रपान
tea chai chaha चाय चहा
coffee kaufi कॉफी कॉफ़ी
drink pina peena piu पीना पी पिणे
eat eating khana khaana खाना खाएँ खाणे
water paani pani पानी पाणी
milk doodh dudh दूध
medicine dawa davai aushadh दवा दवाई औषध
white whitening safed safedi pandhra सफ़ेद सफेद पांढरे
glasses spectacles chashma चश्मा
hand haath haat हाथ हात
foot leg pair paay पैर पाय
eye aankh dola आँख डोळा डोळे
hair baal kes बाल केस
dog puppy kutta kutra कुत्ता कुत्रा कुत्रे कुत्र्यांचे
cat billi manjar बिल्ली मांजर
animal pet janwar prani जानवर पालतू प्राणी
tree plant ped jhad पेड़ झाड
garden park baag bagicha बाग बगीचा उद्यान
walk walking track chalna tahalna चलना टहलना चालणे
swim swimming pool tairna pohne स्विमिंग पूल तैरना पोहणे
gym gymnasium vyayam जिम व्यायामशाळा व्यायाम
hall sabhagruh हॉल सभागृह
lift elevator लिफ्ट
parking park gaadi gadi lagane pargking पार्किंग लावायची वाहनतळ
road street sadak rasta सड़क रास्ता रस्ता
station steshan स्टेशन स्थानक
metro मेट्रो
bus बस
train railway rail gaadi रेल रेलगाड़ी रेल्वे
flat apartment makaan sadnika फ्लैट फ्लॅट मकान सदनिका
house bungalow villa ghar bangla घर मकान बंगला बंगले
floor storey manzil majla मंज़िल मंजिल मजला
roof terrace chhat gachchi छत गच्ची
kitchen rasoi swayampak रसोई स्वयंपाकघर
bathroom toilet snanghar बाथरूम शौचालय स्नानगृह
tower building imarat टावर टॉवर इमारत
site jagah saait साइट जागा
buy purchase kharidna kharedi vikat खरीदना खरीद विकत खरेदी
sell sale bechna bechte vikne vikta बेचना बेचते विकणे विकता विक्री
rent hire kiraya bhade bhadyane किराया किराए भाडे भाड्याने
loan lend borrow karz karja rin लोन कर्ज ऋण कर्जा
credit udhar udhaar udhari उधार उधारी
bank बैंक बँक
tax duty gst stamp kar टैक्स कर स्टाम्प मुद्रांक
agreement contract karar करार अनुबंध समझौता
possession ready handover taiyar tayar kabza ताबा तैयार तयार कब्ज़ा कब्जा
upkeep maintenance rakhrakhav dekhbhal रखरखाव देखभाल देखरेख मेंटेनेंस
month monthly months दरमहा प्रतिमाह mahina mahine maheena महीना महीने माह महिना महिन्याला मासिक
year yearly saal varsh साल वर्ष वार्षिक
week weekly hafta saptah athavda हफ्ता सप्ताह आठवडा
day daily din divas दिन दिवस रोज़ रोज
night raat ratri रात रात्री
morning subah sakal सुबह सकाळ सकाळी
evening shaam sandhyakali शाम संध्याकाळी सायंकाळी
saturday shanivar शनिवार
sunday ravivar itvar रविवार इतवार
monday somvar सोमवार
tuesday mangalvar मंगलवार मंगळवार
wednesday budhvar बुधवार
thursday guruvar गुरुवार
friday shukravar शुक्रवार
first pehla pahla pahila पहला पहली पहिला पहिली पहिल्या
last aakhri shevat शेवटचा आखिरी अंतिम
one ek एक
two do don दो दोन
three teen tin तीन
four char चार
five paanch pach पाँच पांच पाच
ten das daha दस दहा
twenty bees vis बीस वीस
hundred sau shambhar सौ शंभर
double twice dugna duppat दुगना दोगुना दुप्पट
percent pratishat takke प्रतिशत टक्के
part share hissa bhag हिस्सा भाग
spare purja purje parts sutte पुर्जा पुर्जे पार्ट सुटे
tractor traktar ट्रैक्टर ट्रॅक्टर
engine injan इंजन इंजिन
oil tel ऑयल तेल
filter chhanni फिल्टर फ़िल्टर
battery betri बैटरी बॅटरी
tyre tire टायर
brake ब्रेक
clutch क्लच
radiator रेडिएटर रेडियेटर
pump पंप
seed beej biyane बीज बियाणे
fertilizer manure khad khat खाद खत
garage mechanic workshop mistri गैरेज गॅरेज मिस्त्री मैकेनिक
fit fitting fix lagana basavne बैठाना लगाना बसवणे बसवून
weight heavy vazan wajan bhari वजन वज़न भारी
sealed seal box carton dabba khoka डिब्बा खोका बॉक्स
electric electrical bijli vij बिजली इलेक्ट्रिकल वीज
training prashikshan ट्रेनिंग प्रशिक्षण
receiver ghenara लेने घेणारा
transport truck lorry malvahu ट्रक ट्रांसपोर्ट मालवाहू
sms message sandesh संदेश मेसेज एसएमएस
mail email ईमेल
number phone mobile नंबर मोबाइल फोन क्रमांक
name naam nav नाम नाव
manager vyavasthapak मैनेजर प्रबंधक व्यवस्थापक
owner malik मालिक
staff worker karmchari कर्मचारी
customer client grahak ग्राहक
friend dost mitra दोस्त मित्र
guest visitor mehman pahune मेहमान पाहुणे
lawyer vakil वकील
computer sanganak कंप्यूटर संगणक
paper kagaj कागज कागद
form application avedan arj फॉर्म आवेदन अर्ज
card kaard कार्ड
cheque check चेक धनादेश
money cash paisa paise पैसा पैसे रकम
instalment parts kist kisto kishton hapta hapte hafte किस्त किस्तों हप्ता हप्ते हप्त्यांमध्ये
back refund return wapas vapas parat वापस वापसी परत
leave quit chhodna chhod sodne छोड़ना छोड़ सोडणे
bring carry laana lana aanne लाना लाएँ आणणे
give donate dena daan dene देना दान देणे
take borrow lena le ghene लेना ले घेणे घेता
keep hold rakhna thevne रखना रखते ठेवणे
send bhejna pathavne pathavta भेजना भेजते पाठवणे पाठवता
call talk baat bolna bolne बात बोलना बोलणे
visit see dekhna baghne baghayla देखना देखने बघणे बघायला पाहणे
story katha kahani गोष्ट कहानी कथा
programme event function karyakram कार्यक्रम
festival tyohar san त्योहार सण
gift uphar bhet उपहार भेट
clothes dress kapde कपड़े कपडे
shoes joote chappal जूते चप्पल बूट
gold sona सोना सोने
colour rang रंग
hot garam गरम गर्म
cold thanda thand ठंडा थंड
`;

/**
 * Clothing, household, leisure and mishaps in English, Hindi, Marathi and romanized, one group of synonyms per line.
 */
export const household = `
shirt kameez kamij शर्ट कमीज़ कमीज सदरा
trousers trouser pants pant पैंट पतलून पँट
jeans जींस जीन्स
saree sari साड़ी साडी
kurta kurti कुर्ता कुर्ती
blazer ब्लेज़र ब्लेझर
jacket जैकेट जॅकेट जाकीट
coat कोट
sweater woollen woollens wool oon lokar ऊनी ऊन लोकर स्वेटर
blanket quilt kambal rajai godhadi कंबल रज़ाई घोंगडी गोधडी ब्लँकेट
bedsheet sheet chadar चादर चादरी
curtain curtains parda padda पर्दा पर्दे पडदा पडदे
pillow cushion takiya ushi तकिया उशी
carpet rug kaleen galicha कालीन गालिचा कार्पेट
leather chamda chamade चमड़ा चमड़े चामडे चामड्याचे लेदर
button buttons batan बटन बटण गुंडी
starch kanji kalaf कांजी कलफ स्टार्च खळ
stain stains spot daag dhabba दाग धब्बा डाग
detergent soap sabun साबुन साबण डिटर्जेंट
perfume fragrance scent smell khushboo खुशबू सुगंध सुवास
sensitive allergy allergic eczema rash itch itching mild gentle khujli खुजली खाज संवेदनशील
dry ड्राई ड्राय
clean cleaned क्लीन क्लीनिंग
wash washing washed dhulwana धुलवाना धुलवाने धुवायचे धुवायला धोते धुता
spoil spoiled spoilt ruin ruined damage damaged kharab खराब नुकसान बिघडले
garment clothes dress outfit kapde कपड़े कपडे
glove gloves dastane haatmoje दस्ताने दस्ताना हातमोजे ग्लव्ज
slipper slippers sandal sandals flipflops chappal चप्पल
towel tauliya तौलिया टॉवेल
umbrella chhata chhatri छाता छत्री
suitcase luggage trunk sandook पेटी सूटकेस
powder पाउडर पावडर चूर्ण
rope rassi dori रस्सी दोरी दोर
toy toys khilona khelna खिलौना खेळणे
entrance entry admission joining pravesh प्रवेश
membership subscription enrolment sadasyata सदस्यता सदस्यत्व मेंबरशिप
quarterly quarter timahi तिमाही त्रैमासिक
halfyearly semiannual sahamahi chhamahi सहामाही छमाही अर्धवार्षिक
yearly annual annually varshik सालाना वार्षिक
monthly masik मासिक माहवार
trial try tryout test चाचणी ट्रायल
pause freeze suspend stop halt थांबवणे थांबवता रोकना रोक
swim swimming swimmer pool tairna pohne तैरना तैराकी पोहणे पोहता पोहायला पोहताना तरण तलाव जलतरण
yoga yog योग योगा
exercise workout exercising gym vyayam कसरत व्यायाम
boxing mukkebaji मुक्केबाज़ी मुष्टियुद्ध
wrestling kushti कुश्ती
separate reserved exclusive exclusively only alag rakhiv अलग राखीव आरक्षित
trek treks trekking hike hikes hiking hiker ट्रेक ट्रेकिंग पदयात्रा चढाई गिर्यारोहण
fort forts fortress killa qila किला किले किल्ला किल्ले किल्ल्याचे गड
mountain hill peak pahad dongar पहाड़ डोंगर पर्वत शिखर
height high tall altitude unchi उंची ऊँचाई ऊंचाई उंच ऊँचा
width wide broad chaudai rundi चौड़ाई रुंदी
depth deep gehrai kholi गहराई खोली
easy simple aasan asaan sopa sopi आसान सोपा सोपी सोपे
hard difficult difficulty tough strenuous mushkil kathin कठिन मुश्किल कठीण अवघड
guide guides margdarshak गाइड मार्गदर्शक वाटाड्या
tent tents camp camping tambu तंबू टेंट
leave leaves depart departs departure start nikalna nighte निकलती निकलना निघते निघणे सुटते सुटणे
rain raining rains rainy pour pouring downpour storm barish paus बारिश पाऊस पावसामुळे वादळ
injury injured hurt ankle twist sprain sprained fracture wound wounded accident chot dukhapat चोट मोच जखम दुखापत > aid hospital insurance
safety safe danger dangerous risk surakshit सुरक्षित सुरक्षा धोका
dog puppy kutta kutra कुत्ता कुत्रा > labrador alsatian pug spaniel terrier retriever beagle pomeranian
tomorrow kal udya कल उद्या > next
group groups gat समूह गट ग्रुप
discount concession reduction off kam sut कम सूट सवलत छूट > percent
meeting meetings assembly sabha बैठक सभा सभेच्या सभेला
fee fees charge shulk शुल्क फीस
diet nutrition aahar आहार डाइट
protein प्रोटीन प्रथिने
area areas locality localities region parisar भाग परिसर
`;
