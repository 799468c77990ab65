import type { TongueEnds } from './tongue-ends';
import { ending, wordSet } from './words';

const pronoun = '(?:i|it|he|she|they|we|you|that|there|this)';
const auxiliary = '(?:am|is|are|was|were|do|does|did|can|will|would|should|could|have|has|had)';
const denial = '(?:dont|doesnt|didnt|cant|couldnt|wont|wouldnt|isnt|arent|wasnt|werent|havent|hasnt|shouldnt)';

/** English: what is unfinished shows in its last word or two. */
export const englishEnds: TongueEnds = {
  continuing: wordSet(
    'a an the my your our their his its and or but nor because cause cuz if when while although though unless until till since',
    'whether than as to of for from with without at by into onto in on about like per every each any',
    'is are was were am be been being have has had will would could should might must may gonna wanna',
    'i we they he she im ive id ill youre theyre lets let um umm uh uhh er erm hmm mm uhm ah so very well actually basically',
    'which whose either neither trying maybe anyway between during against towards around also just still after before',
  ),
  closing: wordSet(),
  answers: wordSet(
    'yes no yeah yep nope please thanks thank bye goodbye okay ok correct right sure it them me you us him now today tomorrow',
    'yesterday tonight later again already yet ago too here there exactly fine great absolutely definitely done',
  ),
  asking: wordSet('what who whom which where when why how whats whos wheres hows'),
  opening: wordSet(),
  verb: /$^/u,
  whole: ending(
    `(?:yes|no|yeah|yep|nope|sure|of course)(?: \\S+)* ${pronoun} (?:${auxiliary}|${denial})`,
    `(?:what|where|who|how|which|whatever|all)(?: \\S+)* ${pronoun} (?:${auxiliary}|need|want|wanted|needed)`,
    '(?:what|whats|who|whos|where|wheres|which)(?: \\S+){1,5} (?:from|for|about|like|with)',
    '(?:think|hope|guess|believe|say|said|do|told me|is that|why|even more) so',
    'the (?:day|week|month|one) (?:after|before)',
    'not (?:very|at all|yet|as such|any)',
    '(?:log|logged|sign|signed|come|check|checked|fill|filled|drop|move|plug|put it|let me|walk) in',
    '(?:turn|turned|switch|switched|put)(?: \\S+)? on|(?:go|come|carry|later|now) on|(?:drop|stop|stand|come) by',
    '(?:i|you|we) (?:would|do) like|(?:very|all|as) well|(?:me|it|that|this) also',
    '(?:what|who|how|where) (?:are|were) (?:we|they|you)',
  ),
  broken: ending(
    '(?:can|could|would|will|do|did|are|have|if|should|were|when|that) you',
    '(?:i|we|they|you|he|she) (?:want|need|wanted|needed|think|feel|tried|said|can|might|also|really|would rather)',
    `you know|i mean|i guess|kind of|sort of|a lot of|${denial}`,
    '(?:wait|hold on|hang on|(?:one|just a|give me a) (?:second|moment|minute|sec))|let me (?:think|see|check|look)',
    '(?:and|but|so|if|since|until|or) then|(?:and|but|so) (?:yes|maybe)',
    '(?<!(?:what|who|where) )(?:is|was|think|thought|said|say|says|told me|mean|because|so|such|sure|hope|feel|heard|but) that',
    '(?:^|hi|hello|so|and|well|okay|ok|yes) ?(?:my|the) (?:name|address|problem|question|issue|reason|thing|number|email)',
  ),
};
