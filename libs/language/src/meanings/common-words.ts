/**
 * The commonest verbs, qualities and business terms of any trade in English, Hindi and Marathi, one meaning per line. Romanized
 * forms are not listed: Devanagari words are matched by their romanization as well.
 */
export const commonWords = `
main chief head principal senior leading मुख्य प्रमुख प्रधान
assistant deputy junior helper सहायक साहाय्यक मदतनीस
leftover leftovers unsold remaining surplus unused rest बचा बचे बची बचना उरलेला उरलेले उरलेली उरणे शिल्लक
bread breads loaf loaves bun buns ब्रेड पाव डबलरोटी
biscuit biscuits cookie cookies बिस्कुट बिस्किट बिस्किटे कुकीज
chocolate cocoa चॉकलेट
cream creamy क्रीम मलाई साय
butter लोणी मक्खन बटर
cheese पनीर चीज
flour maida wheat आटा मैदा पीठ कणिक गेहूं गहू
pulse pulses lentil lentils dal दाल डाळ
salt salty नमक मीठ
nut nuts cashew almond almonds dryfruit ड्रायफ्रूट मेवा काजू बादाम सुकामेवा बदाम
pineapple अनानास अननस पायनॅपल
banana केला केळी केळे
apple सेब सफरचंद
orange संतरा संत्री नारंगी
lemon lime नींबू लिंबू
coconut नारियल नारळ
potato potatoes आलू बटाटा बटाटे
onion onions प्याज कांदा कांदे
juice रस जूस ज्यूस
snack snacks refreshments नाश्ता अल्पोपहार फराळ
icecream आइसक्रीम आईस्क्रीम
birthday जन्मदिन वाढदिवस बर्थडे
candle candles मोमबत्ती मेणबत्ती
balloon balloons गुब्बारा गुब्बारे फुगा फुगे
knife knives चाकू सुरी चाकु
spoon spoons चम्मच चमचा चमचे
glass glasses tumbler गिलास ग्लास पेला
cup cups mug कप प्याला
utensil utensils vessel vessels crockery बर्तन भांडी भांडे
stove oven burner चूल्हा चूल भट्ठी भट्टी ओव्हन शेगडी
mixer grinder मिक्सर ग्राइंडर
packet packets pack packs पैकेट पाकीट पुडा
can tin jar डिब्बा डबा बरणी
bucket buckets बाल्टी बादली
brush brushes ब्रश कुंचला कूंची
ladder ladders सीढ़ी शिडी
nail screw screws bolt bolts nut कील पेच स्क्रू खिळा
wire wires cable cables तार केबल वायर
bulb bulbs lamp lamps light बल्ब दिवा दिवे
wood wooden timber plywood लकड़ी लाकूड लाकडी काष्ठ
iron steel metal लोहा स्टील लोखंड पोलाद धातू
glass mirror mirrors काँच शीशा आइना काच आरसा
plastic प्लास्टिक
paper papers cardboard कागज कागद पुठ्ठा
stone marble tile tiles पत्थर टाइल फरशी दगड संगमरवर
brick bricks cement sand ईंट सीमेंट रेत वीट सिमेंट वाळू
thread threads yarn धागा धागे सूत दोरा
zip zipper chain ज़िप चेन चैन झिप
pocket pockets जेब खिसा
collar sleeve sleeves कॉलर बाँह बाही आस्तीन
lining अस्तर
shorten shortening shorter छोटा लहान आखूड
lengthen lengthening longer लंबा लांब
tight tighten loose loosen तंग ढीला घट्ट सैल
hem alter alteration alterations altered अल्टर अल्टरेशन दुरुस्ती फेरफार
measure measured measuring measurement measurements नाप माप मोजमाप मापे मोजणे नापना
receipt slip bill token counterfoil रसीद पर्ची पावती चिठ्ठी
advance upfront beforehand prepaid पहले अग्रिम एडवांस आगाऊ आधी
balance outstanding due dues बाकी बकाया थकबाकी
half aadha आधा आधी आधे निम्मा निम्मे निम्मी अर्धा अर्धी अर्धे
quarter fourth चौथाई पाव चतुर्थांश
third तिहाई तृतीयांश
whole full complete entire पूरा पूरी संपूर्ण पूर्ण सगळा सर्व
extra additional surcharge ज़्यादा अतिरिक्त जास्त जादा ऊपर
apart separate separately extra अलग वेगळा वेगळे स्वतंत्र
include includes included including covered शामिल समाविष्ट समावेश धरून
exclude excluded except excluding सिवाय छोड़कर सोडून वगळून वगळता शिवाय
cheap cheaper inexpensive affordable सस्ता सस्ते स्वस्त किफायती
expensive costly dear महंगा महंगे महाग
rate rates tariff दर रेट भाव
discount off reduction rebate concession छूट सूट सवलत रियायत कमी
coupon voucher code कूपन वाउचर व्हाउचर
wholesale bulk थोक घाऊक होलसेल
retail खुदरा किरकोळ रिटेल
canteen cafeteria mess कैंटीन कॅन्टीन उपहारगृह खानावळ
hotel hotels lodge होटल हॉटेल
restaurant रेस्टोरेंट रेस्टॉरंट
office offices workplace ऑफिस कार्यालय दफ्तर कचेरी
factory plant mill कारखाना फैक्टरी गिरणी
shelter orphanage ashram निवारा आश्रय आश्रम अनाथालय
poor needy गरीब गरजू जरूरतमंद
neighbour neighbours पड़ोसी शेजारी
colleague colleagues सहकर्मी सहकारी
grandparent grandfather grandmother grandpa grandma दादा दादी नाना नानी आजोबा आजी
uncle aunt चाचा मामा काका मावशी आत्या
baby newborn infant शिशु नवजात बाळ तान्हे
teenager youth young minor किशोर युवा तरुण अल्पवयीन
adult adults grownups वयस्क प्रौढ मोठे
beginner novice newcomer शुरुआती नौसिखिया नवशिका नवखे
expert specialist experienced विशेषज्ञ अनुभवी तज्ज्ञ
foreign abroad overseas dubai america usa london england canada australia singapore nepal विदेश परदेश परदेशात
country nation india nationwide देश भारत
state maharashtra राज्य महाराष्ट्र
outside beyond outskirts outstation बाहर बाहेर बाहेरगावी
inside within indoors अंदर भीतर आत आतमध्ये
front ahead सामने आगे समोर पुढे
back behind rear पीछे मागे
left बाएँ बाईं डावीकडे डावा
right दाएँ दाईं उजवीकडे उजवा
up above upper top ऊपर वर वरती
down below under lower beneath नीचे खाली
middle centre center between बीच मध्य मध्ये मधोमध
side sides बाजू तरफ
before earlier prior previously पहले पूर्व आधी अगोदर पूर्वी
after later afterwards following बाद पश्चात नंतर
soon shortly quickly fast जल्दी शीघ्र लवकर लौकर
immediately instantly instant तुरंत फौरन लगेच ताबडतोब
midnight आधीरात मध्यरात्र
dawn sunrise daybreak भोर सवेरे पहाट पहाटे
sunset dusk सूर्यास्त संध्या
yesterday कल काल
today tonight आज
tomorrow कल उद्या
overmorrow परसों परवा
weekday weekdays working कामकाज
fortnight पखवाड़ा पंधरवडा
summer गर्मी गर्मियों ग्रीष्म उन्हाळा उन्हाळी
winter सर्दी सर्दियों जाड़ा हिवाळा हिवाळी
monsoon rainy बरसात बारिश पावसाळा
season seasonal मौसम सीज़न हंगाम मोसम
often frequently regular regularly अक्सर नियमित वारंवार
once एकबार एकदा
always forever lifelong lifetime हमेशा सदा नेहमी कायम आजीवन
sometimes occasionally कधीकधी
break broke broken breaks cracked crack टूट टूटना टूटा टूटे टूटी तुटणे तुटला तुटले तुटली फुटला फुटली मोडला मोडले
tear tore torn rip ripped फटना फटा फटी फाटणे फाटला फाटले
burn burnt burned scorch scorched जलना जला जले जळणे जळला जळले भाजणे भाजले
spill spilled spilt गिरा सांडणे सांडले
fall fell fallen drop dropped drops गिरना गिरा गिर पडणे पडला पडली
lose lost losing missing mislaid misplaced खोना खो खोया गुम हरवणे हरवला हरवली गहाळ
find found मिलना मिला ढूँढना सापडणे सापडला शोधणे
forget forgot forgotten भूलना भूल भूला विसरणे विसरला विसरलो
remember remind reminder reminders याद आठवण
leave left leaving quit quits छोड़ना छोड़ छोड़ा सोडणे सोडला सोडून
keep kept keeps keeping retain रखना रखा रखे रखते ठेवणे ठेवतो ठेवतात ठेवले राखणे
give gave given giving देना दिया देते देणे दिला दिले देतो देतात
take took taken taking लेना लिया लेते घेणे घेतला घेतले घेतो घेतात
bring brought bringing brings लाना लाए लाते आणणे आणला आणले आणता
send sent sending post posted ship shipped shipping भेजना भेजा भेजते पाठवणे पाठवला पाठवतो पाठवता
buy bought buying purchase purchased खरीदना खरीदा खरीद विकत खरेदी घेणे
sell sold selling sells बेचना बेचा बेचते विकणे विकला विकतो विकता
pay paid paying pays payment भुगतान चुकाना भरना पेमेंट भरणे भरतो देयक
spend spent spending खर्च
owe owed owing उधार देणे देणे लागतो
catch caught पकड़ना पकडणे
eat ate eaten खाना खाया खाते खाणे खाल्ले खातात
drink drank drunk पीना पिया पिणे प्यायले
sleep slept सोना सोया झोपणे झोपला
sit sat seated बैठना बैठे बसणे बसला बसून
stand stood खड़ा खड़े उभा उभे
run ran running दौड़ना चलाना धावणे चालवणे
drive drove driven driving चलाना ड्राइविंग चालवणे ड्रायव्हिंग
ride rode ridden riding सवारी स्वारी
fly flew flown उड़ना उडणे
swim swam swum तैरना पोहणे
teach taught teaching सिखाना सिखाते पढ़ाना शिकवणे शिकवतात शिकवतो
learn learnt learned learning सीखना सीखते शिकणे शिकतात
write wrote written writing लिखना लिखा लिखवाना लिखते लिहिणे लिहिले लिहायचे
read reading पढ़ना पढ़ा वाचणे वाचले वाचन
speak spoke spoken speaking बोलना बोलते बोलणे बोलतात
hear heard listen सुनना ऐकणे
see saw seen देखना देखा पाहणे बघणे पाहिले
show showed shown display दिखाना दिखाते दाखवणे दाखवतात
choose chose chosen pick select चुनना पसंद निवडणे निवडता
change changed switch alter बदलना बदला बदलते बदलणे बदलला बदलून
grow grew grown उगाना बढ़ना वाढणे वाढला उगवणे
make made making makes prepare prepared बनाना बनाते बनवाना बनवणे बनवतो तयार
build built building बनाना निर्माण बांधणे बांधला
cook cooked cooking पकाना पकाते शिजवणे स्वयंपाक
bake baked baking बेक भाजणे
fry fried तलना तला तळणे तळलेले
boil boiled boiling उबालना उबला उकळणे उकडलेले
cut cutting slice sliced काटना काटते कापणे कापून
open opened खोलना खोला खुला उघडणे उघडला उघडून
close closed shut बंद
lock locked locks ताला कुलूप
wash washed washing धोना धोते धुलाई धुणे धुतात धुवून
dry dried drying सुखाना सूखा सुकवणे वाळवणे सुकले
clean cleaned cleaning साफ सफाई स्वच्छ सफाई
fill filled filling भरना भरा भरणे भरून
empty vacate खाली रिकामा रिकामी
mix mixed blend मिलाना मिश्रण मिसळणे
join joined attach connect connection जोड़ना जोड़ जोडणे जोडणी कनेक्शन
separate split divide अलग बाँटना वेगळे विभागणे
carry carried lift lifting उठाना ढोना उचलणे वाहणे
load loading unload unloading लादना चढ़ाना उतारना चढवणे उतरवणे
push pull धक्का खींचना ढकलणे ओढणे
throw discard dump फेंकना फेकणे टाकणे
hold held holding पकड़ना धरणे धरून
hang hung टाँगना लटकाना टांगणे लटकवणे
hide hidden छिपाना लपवणे
fix repair repaired mend mended repairing ठीक मरम्मत सुधारना दुरुस्त दुरुस्ती
install installed installation fit fitted लगाना लगवाना बिठाना बसवणे बसवतो बसवून
remove removed removing removal निकालना हटाना निकाला काढणे काढला काढून
test tested check checked inspect examine जाँच परखना तपासणे तपासणी तपासतात
use used using usage इस्तेमाल उपयोग प्रयोग वापर वापरणे वापरतो वापरता
need needed require required ज़रूरत चाहिए आवश्यक गरज लागते आवश्यकता
help helped assist assistance मदद सहायता मदत साहाय्य
wait waited waiting इंतज़ार रुकना थांबणे वाट प्रतीक्षा
meet met meeting मिलना मिलते भेटणे भेटता भेट
visit visited visiting come दौरा भेंट भेट
arrive arrived reach reached पहुँचना पहुँचे पोहोचणे पोचणे पोहोचले
return returned returning लौटाना वापस वापसी परत
refund refunded refundable वापस रिफंड परत परतावा
cancel cancelled cancelling cancellation रद्द कैंसल
postpone postponed delay delayed टालना टल आगे स्थगित पुढे ढकलणे लांबणीवर
extend extended extension renew renewed renewing renewal बढ़ाना नवीनीकरण वाढवणे मुदतवाढ नूतनीकरण
exchange exchanged swap replace replaced replacement बदलना बदल बदलून
complain complained complaint शिकायत तक्रार
apply applied application आवेदन अर्ज
register registered registration enrol enrolled पंजीकरण रजिस्टर नोंदणी नोंदवणे
attend attended attending उपस्थित हजर हजेरी
allow allowed permitted permission अनुमति इजाज़त परवानगी
refuse refused deny denied reject rejected मना इनकार नकार नाकारणे
agree agreed accept accepted मानना स्वीकार मान्य स्वीकारणे
promise promised वादा वचन आश्वासन
expect expected अपेक्षा
last lasts lasting endure टिकना टिकता टिकते टिकणे टिकतो टिकतात
spoil spoiled spoilt rot rotten stale खराब सड़ना बासी सडणे शिळे
ruin ruined ruins wreck damage damaged बर्बाद बिगाड़ना खराब बिघडवणे नुकसान
fade faded fading उतरना फीका फिका
shrink shrinks shrunk shrinking सिकुड़ना आटणे आकसणे
leak leaks leaking टपकना रिसना गळणे गळती
smell smells odour बदबू गंध वास दुर्गंध
work works working function काम चलना चालणे काम
stop stops stopped stopping रुकना बंद थांबणे बंद
start starts started starting begin begins शुरू सुरू सुरुवात
finish finished complete completed ख़त्म पूरा संपणे पूर्ण
hire hired rent rented rental lease किराया किराए भाडे भाड्याने
lend lent borrow borrowed उधार उसने उसनवार
insure insured insurance बीमा विमा
guarantee guaranteed warranty गारंटी वारंटी हमी वॉरंटी
certify certified certificate certificates प्रमाणपत्र सर्टिफिकेट दाखला
train trained training प्रशिक्षण ट्रेनिंग
practise practised practice अभ्यास सराव
win won prize prizes award awards इनाम पुरस्कार बक्षीस
compete competition contest प्रतियोगिता स्पर्धा मुकाबला
perform performance show perform प्रदर्शन कार्यक्रम सादरीकरण
record recording recorded रिकॉर्डिंग ध्वनिमुद्रण
deliver delivered delivery deliveries पहुँचाना डिलीवरी घरपोच पोहोचवणे पोचवणे पोचवतो डिलिव्हरी
pack packed packing wrap wrapped wrapping पैक पैकिंग बाँधना पॅक पॅकिंग बांधून
weigh weight weighs kilogram kilo kg वज़न किलो तोलना वजन
heavy भारी जड वजनदार
light lightweight हल्का हलका हलके
strong sturdy durable मज़बूत टिकाऊ मजबूत
weak fragile delicate कमज़ोर नाज़ुक नाजूक कमकुवत
soft smooth नरम मुलायम मऊ
hard stiff कड़ा कठोर कडक घट्ट
wet damp गीला भीगा भिजणे भिजला ओला ओले
hot warm गरम गर्म कोमट
cold chilled cool ठंडा थंड गार
new नया नए नई नवा नवीन नवे
old used secondhand पुराना पुराने पुरानी जुना जुने जुनी
fresh ताज़ा ताज़े ताजा ताजे
clean spotless साफ स्वच्छ
dirty soiled unclean गंदा मैला घाण मळलेले अस्वच्छ
big large huge बड़ा बड़े बड़ी मोठा मोठे मोठी
small little tiny छोटा छोटे छोटी लहान छोटे
plain simple basic ordinary सादा सादे सादी साधा साध्या साधे साधी सामान्य
fancy special premium deluxe luxury खास विशेष प्रीमियम खास
thin slim पतला पातळ बारीक
long lengthy लंबा लंबी लांब
short छोटा आखूड
high tall ऊँचा ऊँची उंच
deep गहरा गहरी खोल
wide broad चौड़ा रुंद
good best better quality अच्छा बढ़िया उत्तम चांगला चांगले उत्कृष्ट
bad poor worse खराब बुरा वाईट खराब
correct right proper सही ठीक योग्य बरोबर
wrong incorrect mistake error fault गलत गलती भूल चूक चुकीचे चुकून
real genuine original authentic असली अस्सल मूळ खरे
fake duplicate नकली बनावट खोटे
same identical समान वही सारखा तोच
different various अलग भिन्न वेगळा निराळा
free gratis complimentary मुफ़्त फ्री निःशुल्क मोफत फुकट विनामूल्य
available stock उपलब्ध स्टॉक साठा
ready prepared तैयार तयार
busy crowded crowd rush भीड़ व्यस्त गर्दी
alone single solo अकेला अकेले एकटा एकटे
together jointly साथ मिलकर एकत्र सोबत
public common सार्वजनिक आम
legal licensed कानूनी वैध कायदेशीर
safe safely secure सुरक्षित
dangerous danger risky खतरा खतरनाक धोका धोकादायक
ill sick unwell sickness बीमार तबीयत आजारी आजार
injury injured hurt wound चोट घायल जखम दुखापत इजा
pain painful ache दर्द दुखणे वेदना
pregnant expecting गर्भवती गरोदर
disabled handicapped wheelchair विकलांग दिव्यांग अपंग
blood खून रक्त
stomach belly पेट पोट
back spine पीठ कमर पाठ कंबर
neck throat गला गर्दन गळा मान
face चेहरा तोंड
knee knees घुटना गुडघा
skin त्वचा चमड़ी कातडी
beard shave दाढ़ी दाढी
sunlight sun धूप ऊन सूर्य
shade shadow छाया सावली
fire flame आग
river नदी
sea beach समुद्र किनारा
field farm farmland खेत शेत शेती
forest jungle जंगल वन
hill mountain पहाड़ डोंगर
well borewell कुआँ विहीर बोअर
tank टंकी टाकी
pipe pipes pipeline पाइप नळी
tap taps नल नळ
roof छत छप्पर
ceremony ritual puja pooja पूजा विधि समारंभ विधी
temple mandir मंदिर देऊळ
band orchestra बैंड बँड वाद्यवृंद
drum drums ढोल ढोलकी ताशा
instrument instruments वाद्य वाद्ये
stage platform मंच स्टेज व्यासपीठ
microphone mike speaker loudspeaker माइक लाउडस्पीकर ध्वनिक्षेपक स्पीकर
camera photographer कैमरा फोटोग्राफर कॅमेरा छायाचित्रकार
album frame एल्बम फ्रेम अल्बम चौकट
print printed printing प्रिंट छपाई प्रिंटिंग छापणे
design designs pattern डिज़ाइन नमूना नक्षी डिझाइन
cover covers कवर आवरण
label sticker लेबल स्टिकर
name names नाम नाव
date calendar दिनांक तारीख
confirm confirmed fix fixed पक्का पक्की पक्के निश्चित
person persons people जन जण जणं लोग लोक माणूस माणसे व्यक्ती
urgent urgently rush अर्जेंट अर्जंट तातडी तातडीने
list lists सूची यादी
number numbers नंबर क्रमांक अंक
signature sign हस्ताक्षर सही
stamp seal मुहर शिक्का
account खाता खाते
password pin पासवर्ड
message sms whatsapp text संदेश मैसेज मेसेज व्हाट्सऐप व्हॉट्सअॅप
email mail ईमेल
news announcement सूचना घोषणा बातमी
address पता पत्ता
map direction directions नक्शा रास्ता नकाशा दिशा
landmark nearby near पास नज़दीक जवळ शेजारी
road street lane सड़क रास्ता गली रस्ता गल्ली
crossroads square chowk चौक चौराहा
bridge flyover पुल पूल
market bazaar bazar बाज़ार मंडी बाजार मार्केट
shop store outlet दुकान
warehouse godown storage गोदाम गोडाऊन कोठार
queue line कतार लाइन रांग
traffic यातायात ट्रैफिक वाहतूक
journey trip travel tour यात्रा सफर प्रवास सहल
passenger passengers यात्री सवारी प्रवासी
seat seats सीट आसन जागा बैठक
luggage baggage bags सामान बैग सामान बॅग
ticket tickets टिकट तिकीट तिकिटे
helmet हेलमेट हेल्मेट शिरस्त्राण
petrol diesel fuel पेट्रोल डीज़ल ईंधन डिझेल इंधन
puncture tyre tube पंचर टायर पंक्चर
engine motor इंजन मोटर इंजिन
brake brakes ब्रेक
meter metre metres मीटर
foot feet फुट फूट
litre litres liter लीटर लिटर
gram grams ग्राम ग्रॅम
minute minutes मिनट मिनिट मिनिटे
hour hours घंटा घंटे तास
age aged उम्र आयु वय
birth born जन्म
death died dead मृत्यु निधन मृत्यू
marriage married wedding शादी विवाह लग्न
engagement सगाई साखरपुडा
husband wife spouse पति पत्नी नवरा बायको
bride groom दुल्हन दूल्हा नवरी नवरदेव वधू वर
government govt सरकार सरकारी शासकीय
police पुलिस पोलीस
tax gst taxes कर टैक्स जीएसटी
salary wage wages वेतन तनख्वाह पगार
job jobs vacancy employment hiring नौकरी भर्ती नोकरी भरती
business trade व्यापार धंधा व्यवसाय धंदा उद्योग
price cost worth कीमत दाम किंमत मोल
`;
