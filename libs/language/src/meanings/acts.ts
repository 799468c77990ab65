/** What people do, in English, Hindi and Marathi and in the Latin letters of both: words that mean the same, a group a line. */
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
