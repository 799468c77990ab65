/** Customers' short questions in Marathi written in Latin letters, one per line. Every second line is held out. */
export const latinMarathi = `
dukan kadhi ughdel?
ravivari band asta?
udya dukan ughadnar ka?
doghanche kiti hotil?
cardne paise deta yetil ka?
stationpasun kiti lamb?
junya battery parat ghyal ka?
bus ubhi karayla jaga milel?
majhi order kadhi tayar hoil?
counterla konala bhetu?
ravivari sutti aste?
lahan chi kimmat?
vidyarthyanna savlat deta?
aaj konala pathval ka?
aadhi nondani karavi lagel?
jast divas konta tikto?
eka dozencha bhav?
garam pani yete?
gaadi kuthe lavu?
kutryala sobat aanu shakto ka?
sandhyakali kiti vajeparyant basta?
paus aala tar?
phone pan durust karta?
kiti jaga shillak?
nashta dharlela aahe?
sandhyakali phone kara
kiti lavkar yal?
lift chalu aahe?
praveshasathi kagadpatre konti?
banerla pohochaval?
shevatcha show kadhi sampto?
majhya mulala batch madhe ghyal?
mulache vay kiti have?
patta sangta ka?
gst vegla lagel?
gift voucher vikta?
tarikh nantar badalta yeil?
shanivari mahag padte?
nilya rangat dakhva
malkanshi bolayche hote
lahan balansathi chalel?
radd kase karu?
donhi yojanat farak kay?
aani teen mahinyanche?
donhi milun kiti?
yat swasta konte?
sagalyat swasta kholi?
paise parat havet
darpatrak pathva
doctor aaj bastil?
donshe pahunyancha hall kitila?
dusri dya
pachshechya aat kahi?
sanala kaam karta?
majha cylinder ajun aala nahi
kamit kami kiti magvave lagte?
pakke bill milel?
warranty kashavar lagu hote?
charger sobat deta?
aaj ushir jhala ka?
ushira parat kelyas dand?
yache vajan?
ghari yeun baghta?
hall aadhi baghta yeil?
pani galun deta?
kes kapayla kiti vel lagto?
aaj jevayla kay kele?
majhe booking pakke kara
don plate idli aani ek coffeeche kiti?
bus standjaval aahat?
appointment ghyavi lagte?
majhe parcel pohochle?
nashikla shakha kadhli?
kiti divsat yeil?
evdhe mahag ka?
ek divas karun baghta yeil?
naula yeu?
shukravar chalel?
baykanchi vegli batch aste?
kholit pet thevu deta?
killyaparyant rasta kasa?
takrar konakade karu?
talayla tel konte?
majhe paise jama jhale?
upi gheta?
museum somvari band aste?
shulk sangal ka?
ardhe aatta deu?
sarvat mothi taki kiti litrechi?
ek class budala tar?
yahun swasta dakhva
tasavar deta?
shanivari?
swatacha towel aanu?
saat vajta koni bhetel?
kimti vadhlya?
nau numbercha boot milto?
shulkat pustake yetat?
main gate kuthlya bajula?
pach varshakhalil mulanche ticket?
ek kilo mithaicha dar?
paneer roll aani chaha milun sanga
dosa tupat karta?
blouse don divsat shival?
sadila fall lavayche kiti?
mandav daha divsansathi milel?
aundhche dukan mothe aahe?
ratri idli milte?
tatat varan aste?
purushanche sadre thevta?
pujeche sahitya milel?
pohe jhale?
barficha kilocha bhav sanga
khadi meterne vikta?
eka sadichi dhulai?
don futanchi ganesh murti kitiparyant?
char dhamchi sahal?
ughde?
kitila?
gharpoch deta?
aatta milel?
hami deta?
ravivarchi vel?
parking phukat?
tyach divshi milel?
ghauk ghetlyas savlat?
fakt rokh?
aaj band asel?
parat denyache niyam?
jaga rikami?
sakali lavkar ughadta?
purna fee ki ardhi?
tumhi kuthe asta?
ek ticket dya
mulanche kay?
pavti dyal?
mothyache?
farak kiticha?
pach kilometerche bhade?
duparparyant hoil?
kiti jananasathi?
te shukravari yetat ka?
udya charla jamel?
mahag ki swasta?
konte swasta aahe?
ha motha ki to?
khurchya jast lagtil ki table?
AC roomche rent?
delivery kadhiparyant hoil?
Sundayla open aste?
booking cancel karaychi asel tar?
EMI var milel?
parkingche paise lagtat?
doctor aale?
kadhi yeu?
delivery kiti divsat?
kiti jhale?
`;
