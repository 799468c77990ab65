import type { TongueEnds } from './tongue-ends';
import { ending, wordSet } from './words';

const day = '(?:कल|आज|परसों|शाम|सुबह|रात|दिन|\\S+वार|तारीख|kal|aaj|parso|shaam|subah|raat|din|\\S+day|tareekh)';
const whose = '(?:मेरा|मेरी|हमारा|mera|meri|hamara)';
const going = '(?:रहा|रही|रहे|raha|rahi|rahe)';

/** Hindi in both scripts: the verb comes last, and what marks a noun asks for more. */
export const hindiEnds: TongueEnds = {
  continuing: wordSet(
    'और या लेकिन मगर पर क्योंकि क्यूंकि कि तो अगर जब जो जिस जिसे ताकि',
    'इसलिए मतलब यानी वो वह का की के को से में ने तक एक बहुत लिए साथ बारे',
    'पास बाद पहले जैसे जैसा दरअसल उम्म उम अं हम्म फिर भी बल्कि ज़रा',
    'वरना चूंकि बीच अंदर ऊपर नीचे सिर्फ उसमें इसमें जिसमें उससे जिससे',
    'aur ya lekin magar par kyunki kyonki kyuki ki to toh agar jab jo jis taki isliye matlab yaani yani wo woh vo ka ke ko se',
    'mein me ne tak ek bahut bohot liye saath baare bare paas baad pehle',
    'jaise darasal phir fir bhi balki zara jara warna usme isme jisme umm uhh',
  ),
  closing: wordSet(
    'है हैं हूँ हूं था थी थे थीं हो चाहिए चाहिये दो दे दीजिए दीजिये करो',
    'कीजिए कीजिये बताओ बताइए बताइये लो लीजिए लिया लूँ दूँ करूँ आऊँ जाऊँ',
    'नहीं नही मत होगा होगी होंगे गया गई गयी गए गये आया आई आए हुआ हुई हुए करना करनी होना जाना लेना देना कहना आइए जाइए बस',
    'hai hain hoon hun hu tha thi ho chahiye chahie do dijiye dijie',
    'karo kijiye kijie batao bataiye lo lijiye liya nahi nahin nai mat',
    'hoga hogi honge gaya gayi gai gaye aaya aayi aaye hua hui hue karna karni hona jaana jana lena dena the',
    'सकते सकता सकती sakte sakta sakti',
  ),
  answers: wordSet(
    'हाँ हां जी ठीक धन्यवाद शुक्रिया बिल्कुल सही नमस्ते क्या अभी कल आज परसों बजे',
    'haan han ji theek thik dhanyavaad shukriya bilkul sahi namaste kya abhi aaj kal parso baje',
  ),
  asking: wordSet(
    'क्या कौन कब कहाँ कहां क्यों कैसे कैसी कैसा कितना कितने कितनी किस किसका किसको किससे',
    'kya kaun kon kab kahan kaha kyun kyu kyon kaise kaisa kaisi kitna kitne kitni kis kiska kisko',
  ),
  opening: wordSet(
    'मैं मैंने मैने मुझे मुझको हम हमने हमें मेरा मेरी मेरे हमारा हमारी',
    'हमारे आप आपने आपका आपकी आपके तुम तुमने उसने उन्होंने उसका उनका जो',
    'main maine mujhe mujhko hum humne hume mera meri mere hamara hamari',
    'hamare aap aapne aapka aapki aapke tum tumne usne uska unka jo',
    'अगर जब क्योंकि कि agar jab kyunki kyonki',
  ),
  verb: /(?:ता|ती|ते|या|यी|ये|गा|गी|गे|ओ|िए|िये|ूं|ऊं|ना|नी|ta|ti|te|ga|gi|ge|iye|unga|ungi|enge)$/u,
  whole: ending(
    `${day} (?:को|से|तक|में|ko|se|tak)`,
    'और (?:आप|तुम)|aur (?:aap|tum)|(?:बहुत|bahut|bohot) \\S+|(?:सब|sab) (?:ठीक|theek|thik)',
    `(?:नहीं|नही|nahi|nahin)(?: \\S+){1,2} ${going}`,
    '(?:थोड़ा|थोड़ी देर|इसके|उसके|thodi der|iske|uske) (?:बाद|पहले|baad|pehle)|(?:सबसे|sabse) (?:पहले|pehle)',
  ),
  broken: ending(
    '(?:एक|ek) (?:मिनट|सेकंड|सेकेंड|minute|min|second|sec)',
    '(?:रुकिए|रुको|ठहरिए|सुनिए|सुनो|देखिए|rukiye|ruko|suniye|suno|dekhiye)',
    `${going}|\\S+(?:कर|करके)|karke|\\S+(?:ने|ne) (?:वाल[ाीे]|wal[aie])|\\S*(?:करने|जाने|लेने|देने|होने)|karne|jaane|lene|dene`,
    `${whose} (?:नाम|पता|नंबर|सवाल|naam|pata|number|address|sawaal) (?:है|hai)`,
  ),
};
