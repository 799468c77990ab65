import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from './answer';
const base = `# The business
Name: शुभम टेलर्स
Kind: Tailor
Telephone: +912024001199

# Products and services
- कपडे शिलाई आणि फॉल. Price: 350 INR per कपडा. Duration: 60 minutes. Booking required.
- फक्त फॉल. Price: 60 INR per साडी. Duration: 60 minutes. Booking required.
- Car wash and polish. Price: 900 INR per car. Duration: 60 minutes. Booking required.
- Polish only. Price: 400 INR per car. Duration: 60 minutes. Booking required.
- धुलाई और प्रेस. Price: 90 INR per किलो. Duration: 60 minutes. Booking required.
- सिर्फ प्रेस. Price: 10 INR per कपड़ा. Duration: 60 minutes. Booking required.
- Wash and press. Price: 80 INR per kg. Duration: 60 minutes. Booking required.
- Pressing only. Price: 15 INR per piece. Duration: 60 minutes. Booking required.

# Document: r.md
## Rules
Hotels pay ₹65 per kilo above 200 kg in a month. Wash and press is ready in two days, polish in four.`;
const eng=`# The business
Name: Sparkle
Kind: Laundry
Telephone: +912024001199

# Products and services
- Shoe soling and polishing. Price: 300 INR per pair. Duration: 60 minutes. Booking required.
- Polishing only. Price: 50 INR per piece. Duration: 60 minutes. Booking required.
- Serum, 30 ml. Price: 300 INR. Available.
- Serum, 90 ml. Price: 750 INR. Available.
- Basmati rice. Price: 600 INR per bag of 5 kg. Available.
- Sugar, 2 kg. Price: 100 INR. Available.
- Sugar, 5 kg. Price: 240 INR. Available.
- Incense, pack of 12. Price: 60 INR. Available.
- Incense, pack of 50. Price: 200 INR. Available.
- Kayak rental. Price: 400 INR per day. Duration: 60 minutes. Booking required.

# Questions and answers
Q: Can I store my kayak over winter?
A: Yes, for ₹250 a month.

# Document: r.md
## Rules
We collect within 8 km for ₹200 each way.`;
const a=(q:string,l:Grounds['language'],k:string)=>answerFrom(aModelRequest({messages:[{role:'user',text:q}],grounds:{language:l,agentName:'M',greeting:'',passages:[],knowledge:k,schedule:null}}));
it('x',()=>{
 const out:string[]=[];
 for (const [q,l,k] of [
 ['फक्त फॉलसाठी 5 साड्यांचे किती?','marathi',base],
 ['5 सादी फॉल लावायचे किती?','marathi',base],
 ['How much is falls only for 3 sarees?','english',base],
 ['How much is polish only for 2 cars?','english',base],
 ['How much is only polish for 2 cars?','english',base],
 ['How much is polish for 2 cars?','english',base],
 ['सिर्फ प्रेस 6 कपड़ों का कितना?','hindi',base],
 ['6 kapde sirf press karne ka kitna?','hindi',base],
 ['6 kapde press karne ka kitna lagega?','hindi',base],
 ['6 shirt sirf press karne ke kitne?','hindi',base],
 ['How much is pressing only for 6 pieces?','english',base],
 ['How much is just polishing for 4 pieces?','english',eng],
 ['How much is soling and polishing for 2 pairs?','english',eng],
 ['How much is polishing only for 4 pieces?','english',eng],
 ['तीन किलो कपडे धुऊन प्रेस करायला किती लागतील?','marathi',base],
 ['Is the 90 ml serum cheaper per ml than the 30 ml one?','english',eng],
 ['Which serum is cheaper per ml?','english',eng],
 ['Which sugar is cheaper per kg, 2 kg or 5 kg?','english',eng],
 ['Is the incense pack of 50 cheaper per piece than the pack of 12?','english',eng],
 ['90 ml सीरम प्रति ml 30 ml से सस्ता है क्या?','hindi',eng],
 ['Which is cheaper per kg, the basmati rice or the 5 kg sugar?','english',eng],
 ['Which is cheaper per ml, the serum 30 ml or the basmati rice?','english',eng],
 ['Do you rent tandem kayaks?','english',eng],
 ['Do you rent inflatable kayaks?','english',eng],
 ['How much is storing my kayak for seven months?','english',eng],
 ['What is the price of storing my kayak?','english',eng],
 ['How much does winter storage cost?','english',eng],
 ['Do you have a lifeguard?','english',eng],
 ['How many polishers work for you?','english',eng],
 ] as const) out.push(`${q}\n    ${a(q,l,k)}`);
 console.log(out.join('\n'));
});
