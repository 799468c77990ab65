import { product, service, week } from '../businesses/business';
import { type Conversed, talker } from './transcript';

const en = talker('english');
const hi = talker('hindi');
const mr = talker('marathi');
const hl = talker('hinglish');

const fabrics = `Fabric,Price (INR per metre),Width (cm)
Khadi,260,90
Linen,480,110
Mulmul,190,90
`;

const rules = `# Bills and delivery
Bills above ₹2,000 get 10% off.
Delivery in Satara is free for orders over ₹500; below that it costs ₹40.

# Exchange
Unused goods are exchanged within seven days.
`;

/** A shop for handwoven goods, with rules about bills, written to test what a conversation remembers. */
export const handloomShop: Conversed = {
  business: {
    name: 'Indrayani Handlooms',
    part: 'tuning',
    profile: {
      business_name: 'Indrayani Handlooms',
      business_type: 'Handloom shop',
      industry: 'Retail',
      company_description: 'Handwoven goods in Satara since 1988.',
      support_email: 'hello@indrayani.example',
      support_phone: '+912162230145',
      office_address: '14 Powai Naka, Satara 415001',
      working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '10:00 AM', '08:30 PM'),
      timezone: 'Asia/Kolkata',
    },
    products: [
      product('Cotton towel', 'Home', 180),
      product('Bath robe', 'Home', 950),
      product('Table runner', 'Home', 420),
      product('Cushion cover', 'Home', 150),
      product('Woollen shawl', 'Clothes', 1600),
      product('Jute bag', 'Bags', 240),
      product('Door mat', 'Home', 310),
    ],
    services: [service('Curtain stitching', 60, 350), service('Saree polishing', 30, 120)],
    faqs: [{ Question: 'Do you take back unsold goods?', Answer: 'No, we only exchange unused goods.' }],
    documents: [
      { fileName: 'fabrics.csv', text: fabrics },
      { fileName: 'rules.md', text: rules },
    ],
  },
  transcripts: [
    en(
      ['How much is the bath robe?', ['950']],
      ['And the table runner?', ['420']],
      ['Which of them is cheaper?', ['table runner', '420']],
      ['How much for both together?', ['1,370', 'free']],
      ['And two of each?', ['2,740', '10%']],
    ),
    en(
      ['What does the door mat cost?', ['310']],
      ['And the jute bag?', ['240']],
      ['Which of the two is dearer?', ['door mat', '310']],
      ['What would they come to together?', ['550']],
      ['Three of each, then?', ['1,650']],
    ),
    en(
      ['Price of the cotton towel and the cushion cover?', ['180', '150']],
      ['Both together?', ['330'], ['2 ×']],
      ['The difference?', ['30']],
      ['And three of the first and one of the second?', ['690']],
    ),
    en(
      ['How much are the jute bag and the bath robe?', ['240', '950']],
      ['How much more is the second?', ['710']],
      ['The two together?', ['1,190'], ['2 ×']],
      ['Four of the first?', ['960']],
    ),
    en(
      ['What does the jute bag cost?', ['240']],
      ['And the door mat?', ['310']],
      ['And the woollen shawl?', ['1,600']],
      ['How much for both?', ['which|1,600'], ['₹550', '1,840', '1,910']],
      ['I mean all three', ['2,150']],
      ['Which is the dearest of them?', ['woollen shawl']],
    ),
    en(
      ['Is the cushion cover available?', ['available']],
      ['How much is it?', ['150']],
      ['And the table runner?', ['420']],
      ['And the door mat?', ['310']],
      ['The first and the last together?', ['460']],
      ['Are all of them available?', ['available']],
    ),
    en(
      ['How much is khadi?', ['₹260 per metre']],
      ['And linen?', ['₹480 per metre']],
      ['Which one is dearer?', ['linen']],
      ['How much more?', ['220']],
      ['Five metres of the first?', ['1,300']],
    ),
    en(
      ['Compare the khadi and the mulmul', ['260', '190']],
      ['What is the difference in price?', ['70']],
      ['Three metres of each?', ['1,350']],
      ['And which is wider?', ['90']],
    ),
    hi(
      ['बाथ रोब कितने का है?', ['950']],
      ['और टेबल रनर?', ['420']],
      ['इनमें सस्ता कौन सा है?', ['table runner', '420']],
      ['दोनों मिलाकर?', ['1,370']],
      ['दोनों में फ़र्क़ कितना है?', ['530']],
    ),
    hi(
      ['डोर मैट का दाम क्या है?', ['310']],
      ['और जूट बैग का?', ['240']],
      ['दोनों का कितना होगा?', ['550'], ['2 ×']],
      ['महंगा कौन सा है?', ['door mat']],
      ['दोनों दो-दो लूँ तो?', ['1,100']],
    ),
    hi(
      ['खादी का भाव?', ['260']],
      ['और लिनन का?', ['480']],
      ['पहले वाले का पाँच मीटर कितने का?', ['1,300']],
      ['दूसरा कितना महंगा है?', ['220']],
    ),
    hi(
      ['कॉटन टॉवल और कुशन कवर के दाम?', ['180', '150']],
      ['दोनों मिलाकर कितना?', ['330'], ['2 ×']],
      ['पहले के तीन और दूसरे का एक?', ['690']],
      ['और ऊनी शॉल?', ['1,600']],
      ['सब मिलाकर?', ['1,930|which|कौन']],
    ),
    mr(
      ['बाथ रोब कितीला आहे?', ['950']],
      ['आणि टेबल रनर?', ['420']],
      ['यात स्वस्त कोणते?', ['table runner', '420']],
      ['दोन्ही मिळून किती?', ['1,370']],
      ['फरक किती आहे?', ['530']],
    ),
    mr(
      ['डोअर मॅटची किंमत काय?', ['310']],
      ['आणि जूट बॅगची?', ['240']],
      ['दोन्हींचे किती होतील?', ['550'], ['2 ×']],
      ['महाग कोणते आहे?', ['door mat']],
      ['प्रत्येकी तीन घेतले तर?', ['1,650']],
    ),
    mr(
      ['खादी कशी मीटर आहे?', ['260']],
      ['आणि मलमल?', ['190']],
      ['पहिल्याचे पाच मीटर किती?', ['1,300']],
      ['दुसरे किती स्वस्त आहे?', ['70']],
    ),
    mr(
      ['जूट बॅग आणि डोअर मॅट कितीला?', ['240', '310']],
      ['दोन्ही मिळून?', ['550'], ['2 ×']],
      ['आणि टेबल रनर?', ['420']],
      ['तिन्ही मिळून किती?', ['970']],
    ),
    hl(
      ['bath robe kitne ka hai?', ['950']],
      ['aur table runner?', ['420']],
      ['inme se sasta kaunsa hai?', ['table runner']],
      ['dono milakar kitna?', ['1,370']],
      ['fark kitna hai?', ['530']],
    ),
    hl(
      ['door mat ka daam kya hai?', ['310']],
      ['aur jute bag ka?', ['240']],
      ['dono ka kitna hoga?', ['550'], ['2 ×']],
      ['mehnga kaunsa hai?', ['door mat']],
      ['dono do do loon to?', ['1,100']],
    ),
    hl(
      ['khadi ka bhav?', ['260']],
      ['aur linen ka?', ['480']],
      ['pehle wale ka paanch meter kitne ka?', ['1,300']],
      ['doosra kitna mehnga hai?', ['220']],
    ),
    hl(
      ['cotton towel aur cushion cover kitne ke hain?', ['180', '150']],
      ['dono milakar?', ['330'], ['2 ×']],
      ['pehle ke teen aur doosre ka ek?', ['690']],
      ['aur jute bag?', ['240']],
      ['teeno milakar kitna?', ['570']],
    ),
    en(
      ['How much is saree polishing?', ['120']],
      ['And curtain stitching?', ['350']],
      ['Which takes longer?', ['curtain stitching', '60']],
      ['Both for how much?', ['470']],
    ),
    en(
      ['How much is a cotton towel?', ['180']],
      ['Do you exchange goods?', ['seven days']],
      ['And a cushion cover?', ['150']],
      ['What do the two come to?', ['330'], ['2 ×']],
    ),
  ],
};
