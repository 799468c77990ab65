/**
 * What people wear and have at home, what they do in their free time and what may happen to them there, in English, Hindi and Marathi
 * and in the Latin letters of both, a group of one meaning a line.
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
