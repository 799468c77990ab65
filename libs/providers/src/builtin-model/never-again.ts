const words = (text: string): string => text.split(' ').join('|');

const bounded = (pattern: string): RegExp => new RegExp(`(?<= )(?:${pattern})(?= )`, 'u');

/** Words for the speaker, who is not to be called. Other people do not count. */
const us = '(?:me|us|here|this number|my number|my phone|our number)';
const verb = '(?:call|calling|phone|phoning|ring|ringing|contact|contacting|dial|dialling|bother|bothering|disturb|disturbing)';
const negated =
  '(?:do not|dont|never|not to|stop|quit|no need to)(?: (?:you|ever|please|dare|try|to|keep|even|all|these|the|your|want you to))*';
/** What may follow: this excludes "call me sir" and "stop calling it a service". */
const after =
  '(?= $| (?:again|ever|please|any|anymore|further|back|from|for|about|with|on|at|in|right|immediately|thank|thanks|ok|okay|bye|i|you|and|it is|its|all|so)(?= ))';

/** English requests not to call any more. */
const english = [
  `${negated} ${verb} ${us}${after}`,
  `${negated} ${verb}(?= $| (?:again|anymore|any more|ever|please|immediately|right away)(?= ))`,
  '(?:i|we) (?:do not|dont|never) (?:want|wish|like|need) (?:to (?:get|receive|have) )?(?:any|more|any more|these|your|such|further) (?:phone |sales |marketing )?calls?',
  '(?:i|we) (?:do not|dont) (?:want|wish|like) to be (?:called|contacted|disturbed|bothered)',
  `no more (?:phone |sales |marketing )?calls(?: to ${us})?`,
  'stop (?:these|the|your|all|making|with) (?:these |the |your )?(?:phone |sales |marketing )?calls?',
  '(?:remove|delete|take|strike) (?:me|us|my number|our number|this number|my name)(?: off| from| out)(?: of)? (?:your|the|this|all|these) (?:[a-z]+ )?(?:list|lists|database|records|system)',
  '(?:remove|delete) (?:my|this|our) number',
  '(?:put|add) (?:me|us|my number|this number|my name) (?:on|to|in|into) (?:your|the) (?:do not call|dnc|dnd|do not disturb)(?: list)?',
  'lose my number',
  'unsubscribe (?:me|my number)',
].join('|');

const callHi = '(?:कॉल|काल|कॉल्स|फोन|फ़ोन|call|phone|fone|kol)';
const doHi =
  '(?:कर|करो|करना|करिए|करें|करे|कीजिए|कीजिये|कीजिएगा|करिएगा|किया|लगाना|लगाओ|kar|karo|karna|kariye|karein|karen|kare|kijiye|kijiyega|kariyega|kiya|lagana|lagao)';
/** Hindi requests, in either script. */
const hindi = [
  `${callHi}(?: (?:मुझे|हमें|दोबारा|वापस|फिर|से|कभी|भी|mujhe|dobara|wapas|phir|se|kabhi|bhi))* (?:मत|ना|न|mat|na) ${doHi}`,
  `${callHi} (?:कभी|kabhi) (?:नहीं|nahi|nahin) (?:करना|करें|karna|karein)`,
  `${callHi} (?:करना|करने|आना|karna|karne|aana) (?:बंद|बन्द|band) (?:कर|करो|करें|करिए|कीजिए|कर दो|kar|karo|karein|kariye|kijiye)`,
  `(?:मुझे|हमें|mujhe|hume|hamein) (?:आपका |आपके |आपकी |कोई |और |aapka |aapke |koi |aur )?${callHi} (?:नहीं|nahi|nahin) (?:चाहिए|चाहिये|chahiye)`,
  '(?:मेरा|हमारा|यह|ये|mera|hamara|yeh|ye) (?:नंबर|नम्बर|nambar|number|naam|नाम) (?:अपनी |आपकी |इस |apni |aapki |is )?(?:(?:लिस्ट|सूची|डेटाबेस|रिकॉर्ड|list|database|record) (?:से|se) )?(?:हटा|हटाओ|हटाइए|हटाएं|निकाल|निकालो|निकालिए|डिलीट|मिटा|hata|hatao|hataiye|nikal|nikalo|nikaliye|delete|remove)',
].join('|');

const callMr = '(?:कॉल|फोन|call|phone|fon)';
/** Marathi requests, in either script. */
const marathi = [
  `${callMr}(?: (?:मला|आम्हाला|पुन्हा|परत|कधीही|कधीच|mala|punha|parat|kadhihi|kadhich))* (?:करू|करु|करूच|लावू|karu|lavu) (?:नका|नको|नकोस|naka|nako|nakos)`,
  `${callMr} (?:करणे|करणं|करायचे|येणे|karne|karna|karayche) (?:बंद|थांबवा|band|thambva)`,
  `${callMr} (?:करायचा|यायला|karaycha) (?:नाही|नको|nahi|nako)`,
  `(?:मला|आम्हाला|mala|amhala) (?:तुमचा |तुमचे |पुन्हा |कोणतेही |tumcha |tumche |punha )?${callMr} (?:नको|नकोत|nako|nakot)`,
  '(?:माझा|आमचा|हा|maza|majha|amcha|ha) (?:नंबर|nambar|number|नाव) (?:तुमच्या |tumchya )?(?:(?:यादीतून|लिस्टमधून|यादीमधून|yaditun|listmadhun) )?(?:काढा|काढून|डिलीट|kadha|kadhun|delete)',
].join('|');

const refusal = bounded([english, hindi, marathi].join('|'));

/** Words for "from now on", which mean for ever, even before a day. */
const fromNowOn = bounded(
  'from now on(?:wards)?|after (?:today|this|now)|henceforth|any time|ever again|आज के बाद|इसके बाद|अब के बाद|आज से|अब से|आगे से|aaj ke baad|iske baad|aaj se|ab se|aage se|आजपासून|आतापासून|यापुढे|यानंतर|aajpasun|yapudhe',
);

/** Words for a limited time or place: such a request is for a call at another time. */
const forAWhile = bounded(
  `${words(
    'now today tonight tomorrow morning mornings evening evenings afternoon afternoons night nights noon midnight before until till unless after later ' +
      'during while weekend weekends week month monday tuesday wednesday thursday friday saturday sunday hour hours minutes oclock meeting driving instead ' +
      'busy lunch work office home yet if',
  )}|` +
    `${words(
      'अभी आज कल परसों सुबह शाम दोपहर रात बजे पहले तक बाद सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार इतवार हफ्ते महीने दफ्तर मीटिंग व्यस्त अगर ' +
        'abhi aaj kal parso subah shaam sham dopahar dopehar raat baje pehle pahle tak baad hafte mahine agar',
    )}|` +
    words(
      'आता उद्या परवा सकाळी संध्याकाळी दुपारी रात्री वाजता वाजेपर्यंत वाजेपूर्वी आधी पर्यंत नंतर आठवडा महिना कामात जर ' +
        'aata ata udya parva sakali sandhyakali dupari ratri vajta vajeparyant aadhi nantar jar',
    ),
);
/** "Stop now" has a word for a time but is not limited. */
const atOnce = bounded('(?:stop|quit) (?:[a-z]+ ){1,4}?(?:right )?now');

/** Reported speech, forgetting or a question, which is not a request to us. */
const notAnOrder = bounded(
  `${words('said says told tell asked why how whether did does hesitate forget fail miss who')}|what if|` +
    `${words('कहा बोला बोली कहता कहती क्यों क्या भूलना kaha bola boli kyun kyon bhulna')}|` +
    words('म्हणाला म्हणाली म्हणाले सांगितले का विसरू mhanala mhanali sangitle visru'),
);

/** Other people before the verb. In Hindi and Marathi, the person called precedes the verb. */
const somebodyElse = bounded(
  '(?!मुझको |हमको |mujhko |humko )(?:[\\p{L}\\p{M}]+ को|(?:us|un|unko|usko|papa|mummy|police|wife|bhai|didi|maa) ?ko|उसे|उन्हें|use|unhe|त्याला|तिला|त्यांना|tyala|tila|tyanna|[\\p{L}\\p{M}]+(?:ांना|ीला|साला))',
);
const aboutOneself = /(?<= )(?:नंबर को|नम्बर को|number ko|मुझ को|हम को)(?= )/gu;

/**
 * Whether the speaker asks us never to call again, in English, Hindi or Marathi, in Devanagari or Latin letters. The rules match only
 * requests to us, about calls and without limit: "call me later" and "he told me not to call" do not match.
 */
export function asksNeverToBeCalled(text: string): boolean {
  const spoken = ` ${(
    text
      .toLowerCase()
      .replaceAll(/['’]/gu, '')
      .match(/[\p{L}\p{M}\p{N}]+|[?]/gu) ?? []
  ).join(' ')} `;
  const meant = spoken.replace(fromNowOn, '').replaceAll(aboutOneself, '').replaceAll(/ +/gu, ' ');
  if (!refusal.test(meant.replaceAll(' ?', ''))) return false;
  if (notAnOrder.test(meant) || somebodyElse.test(meant)) return false;
  return atOnce.test(meant) || !forAWhile.test(meant);
}
