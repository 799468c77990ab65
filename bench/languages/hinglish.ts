/** Customers' short questions in Hindi written in Latin letters, one per line. Every second line is held out. */
export const hinglish = `
dukan kab khulegi?
itvaar ko band?
kal dukan khuli rahegi?
do logon ka kitna lagega?
card se payment ho jayega?
station se kitni door?
purani battery wapas loge?
bus khadi karne ki jagah milegi?
mera order kab taiyar hoga?
counter pe kisse milun?
ravivar ko chhutti rehti?
chhote wale ka daam?
students ko discount doge?
aaj kisi ko bhej do
pehle se book karna padega?
zyada din kaunsa chalega?
ek darjan ka bhav?
paani garam aata hai?
gaadi kahan lagaun?
kutta saath la sakti hoon?
shaam ko kitne baje tak baithte ho?
baarish ho gayi to?
phone bhi theek karte ho?
kitni seat bachi hain?
nashta shamil hai?
shaam ko phone kar lena
kitni jaldi aa jaoge?
lift chalu hai?
admission ke liye kaunse kagaz lagenge?
baner me pahuncha doge?
aakhri show kab chhutta hai?
mera beta shuruaati batch me aayega?
bachche ki umar kitni chahiye?
pata bata do
gst alag se lagega?
gift voucher bechte ho?
tareekh baad me badal sakte hain?
shanivar ko mehnga padega?
neele rang me dikhao
malik se baat karni thi
chhote bachchon ke liye theek rahega?
cancel kaise karun?
dono plan me farak?
aur teen mahine ka?
dono milakar kitna?
inme sasta kaunsa?
sabse sasta kamra?
paise wapas chahiye
rate list bhejna
doctor sahab aaj baithenge?
do sau mehman ka hall kitne me?
doosri wali de do
paanch sau se kam me kuch?
tyohar pe kaam karte ho?
mera cylinder abhi tak nahi aaya
kam se kam kitna mangwana padega?
pakka bill milega?
warranty kis pe lagti hai?
charger saath me dete ho?
aaj ke liye der ho gayi?
late return pe fine lagega?
iska wazan?
ghar aake dekhte ho?
hall pehle dekh lein?
paani filter wala hai?
baal katne me kitni der lagegi?
aaj khane me kya bana?
meri booking pakki kar do
do plate idli aur ek coffee kitna hua?
bus stand ke paas ho?
appointment lena padega?
mera parcel pahuncha?
nashik me branch kholi?
kitne din me aayega?
itna mehnga kyun?
ek din ki trial class milegi?
nau baje aa jaun?
shukravar chalega?
ladies ka alag batch?
room me pet rakhne doge?
kile tak sadak kaisi?
shikayat kahan karun?
talne ke liye tel kaunsa?
mera payment aa gaya?
upi lete ho?
museum somvar ko band?
charges batana
aadha abhi dun?
sabse badi tanki kitne litre ki?
ek class chhoot gayi to?
isse sasta dikhao
ghante ke hisab se dete ho?
shanivar ko?
apna towel laun?
saat baje koi milega?
daam badh gaye?
nau number ka joota milega?
fees me kitabein bhi?
main gate kidhar?
paanch saal se chhote ka ticket?
ek kilo mithai ka rate?
paneer roll aur chai milake batao
dosa ghee me banate ho?
blouse do din me sil doge?
saree me fall lagane ka kitna?
mandap das din ke liye milega?
aundh wali dukan badi?
raat ko idli milti hai?
thali me dal aati hai?
gents ke kurte rakhte ho?
puja ka saman milega?
poha ban gaya?
barfi kilo ka bhav batana
khadi meter se bechte ho?
ek saree ki dhulai?
do foot ki ganesh murti kitne tak aayegi?
char dham ka package?
khula?
kitne ka?
ghar pahuncha doge?
abhi milega?
guarantee doge?
ravivar ke ghante?
parking muft?
usi din mil jayega?
thok me chhoot?
sirf nakad?
aaj band?
wapas karne ke niyam?
jagah khali?
subah jaldi kholte ho?
poori fees ya aadhi?
aap log kidhar ho?
ek ticket dena
bachchon ka kya?
raseed doge?
aur itvaar ko?
bade wale ka?
farak kitna?
paanch kilometer ka kiraya?
dopahar tak ho payega?
kitne logon ke liye?
kal char baje kaisa rahega?
mujhe kaun batayega?
AC room ka rent?
delivery kab tak ho jayegi?
Sunday ko open rahega?
booking cancel karni ho to?
EMI pe milega?
parking ke paise lagte?
doctor aaye?
kitna hua?
kab aaun?
delivery kitne din me?
`;
