/** A rule for the words of a text. In `pattern`, a space matches any white space, such as a line break. */
type Rule = {
  id: string
  pattern: RegExp
  fix: string
  isQuestionAllowed?: boolean
  only?: Kind[]
}

/** The kind of a text. A `label` is a short text of the console that is not a sentence. */
export type Kind = 'comment' | 'string' | 'label' | 'title' | 'prose' | 'cell'

const words = (list: string) => list.trim().split(/\s+/).join('|')

/** The start of a sentence: the start of the text, or the position after a full stop, a colon, or a list mark. */
const START = String.raw`(?<=^|[.!?:] |^[-*|] ?|\n[-*|] ?|\| )`

const SPOKEN = words('tells told says said hears heard speaks spoken knows believes believed wants asks')

/** Words for people, and for texts that people write. People may say and know something; software may not. */
const PEOPLE = words(
  `you we I they he she who people person user users customer customers operator operators reader author reviewer specification
   standard RFC \\d+ manual documentation guide policy contract nobody everybody anybody somebody`,
)

const SIZED = words('memory heap files? tables? database queue canvas page disk set')

const WORDS: readonly [pattern: string, fix: string][] = [
  ['answers?|answered|answering', 'response; return'],
  ['refus(?:e|es|ed|al|als|ing)', 'reject'],
  ['facts', 'metadata'],
  ['pictures?', 'image, frame'],
  ['sounds?(?! like)', 'audio'],
  ['held calls?', 'long poll'],
  ['walls?', 'sandbox, security check'],
  ['doors?', 'API context, API, entrance'],
  ['desks?', 'upload receiver'],
  ['tolls?', 'throttle'],
  ['crumbs?', 'tiny chunks'],
  ['dripping', 'slow clients'],
  ['patien(?:t|tly|ce)', 'timeout, retry'],
  ['rooms?', 'space, capacity'],
  ['ways? out', 'fix, next step'],
  ['in one piece', 'unsplit, whole'],
  ['tid(?:y|ies|ied|ying)', 'clean up'],
  ['beats?', 'heartbeat'],
  ['baits?', 'probe'],
  ['nudg(?:e|es|ed)', 'notify'],
  ['developer area', 'console'],
  ['(?:dear|dearer|dearest)', 'expensive'],
  ['(?<!segmentation |page )faults?(?! inject| toleran)', 'bug, error'],
  ['wish(?:es|ed)?', 'feature, request'],
  ['(?:(?<!web )shop|workshop|bench)(?![/-])', 'context'],
  ['puppets?', 'fake engine'],
  ['keepers?', 'pool, supervisor, operator'],
  ['the house', 'the project'],
  ['(?:the|this|our) interface', 'the API'],
  // The API, the SDK, and the command line use the word `stamps`, and PDF has annotations of this name.
  ['(?<!mediamill[. ]|_ )stamps?(?! annotation| command| =|\\.\\w)', 'text watermark, watermark'],
  ["ends? of (?:a|an|the|its|each|every) (?:request|job)s?(?![’'])", 'completion'],
  ['(?:free|own) places?|places? in (?:a|the|its) (?:queue|line)|(?:takes?|holds?) (?:a|its) place', 'slot'],
  ['(?:wait|waits|waiting|waited|stands?|next|first|last) in (?:a |the )?line|waiting lines?', 'queue'],
  ['(?<!uploaded )in parts|parts? of a split video|video parts?|split into parts', 'segment, split video'],
  ['(?:after|before|between|first|last|next|each|every|one|a) looks?(?!-)', 'probe, check'],
  ['gather(?:s|ed|ing)?', 'batch, collect'],
  // Memory and files grow. Numbers increase.
  [`(?<!\\b(?:${SIZED})\\b[^.]{0,40})(?:grow|grows|grew|grown|growing)`, 'increase'],
]

const DIALECT: readonly [pattern: string, fix: string][] = [
  ['so (?:many|few)', 'this many, N'],
  ['anew', 'again'],
  ['beside', 'next to, with'],
  ['(?:lies|lay) (?:in|on|at|behind|beside|between|under|outside|within|there|next)', 'is in'],
  ['stands?(?! for| alone| in for| up)', 'is'],
  ['(?:goes|go|went|going) on', 'continues'],
  ['seldom', 'rarely'],
  ['nobody', 'no client, no user'],
  ['of (?:yours|theirs|hers)', 'your, their'],
  ['as may be', 'as allowed'],
  ['(?:comes|came|become|becomes|became) of', 'happens to'],
  ['(?:bring|brings|brought) along', 'include'],
  ['is to blame', 'failed'],
  ['mend(?:s|ed|ing)?', 'fix'],
  ['(?:is|are|was|were) away', 'is unavailable'],
  ['there is none', 'name the missing thing'],
  ['does not suffice', 'is not enough'],
  ['whereby|wherein|whereof|thereof|thereby|hereby', 'a plain sentence'],
]

const SPELLING: readonly [pattern: string, fix: string][] = [
  ['grey(?:s|ed|ish|scale)?', 'gray'],
  ['colour(?:s|ed|ing|ful|less)?', 'color'],
  ['licences?', 'license'],
  ['(?:mis)?behaviours?', 'behavior'],
  ['neighbour(?:s|ing|hood)?', 'neighbor'],
  ['(?:favour|honour|labour|vapour|rumour)\\w*', '-or'],
  ['centre[sd]?', 'center'],
  ['(?:analys|catalys)(?:e|es|ed|ing)', '-yze'],
  [
    '(?:organ|recogn|optim|initial|serial|normal|minim|maxim|real|util|synchron|author|summar|general|special)is(?:e|es|ed|ing)',
    '-ize',
  ],
  ['catalogues?', 'catalog'],
  ['(?:spelt|learnt|burnt|whilst|amongst|artefacts?|defence|judgement)', 'American spelling'],
  ['(?:cancell|labell|modell|travell)(?:ed|ing)', 'one l'],
  ['e-mails?', 'email'],
]

const table = (id: string, list: readonly [string, string][]): Rule[] =>
  list.map(([pattern, fix]) => ({ id, pattern: phrase(`\\b(?:${pattern})(?!\\w)`, 'gi'), fix: `write ${fix}` }))

/** The rules. Each id starts with the number of a rule in the style guide. */
export const RULES: readonly Rule[] = [
  {
    id: '2-opening',
    pattern: phrase(
      `${START}(?:Of(?! course)|Held|Looked at|Behind|By(?! default| design| contrast| convention| \\w+$)|What|Who|Whoever|Whom|Whose|Whatever|Those|That of|Nearer|None)\\b`,
      'g',
    ),
    fix: 'start with the subject: "If several aborts race, exactly one returns 200"',
    isQuestionAllowed: true,
    only: ['comment', 'string', 'title', 'prose', 'cell'],
  },
  {
    id: '3-noun-clause',
    pattern: phrase(
      `(?<![.!?:] )(?<!^)\\b(?:what(?! to do| happened|-if)|whatever|whoever|whomever|(?:for|by|to|from|of) who|that which|that of which)\\b`,
      'g',
    ),
    fix: 'name the thing: "the bytes already received", not "what came"',
    isQuestionAllowed: true,
  },
  {
    id: '4-software-speaks',
    pattern: phrase(`(?<!\\b(?:${PEOPLE})['’]?s? )\\b(?:${SPOKEN}|looks (?:into|at|for)|(?:is|are) looked)\\b`, 'gi'),
    fix: 'software returns, reports, logs, supports, checks, requires',
  },
  {
    id: '6-pronoun',
    pattern: phrase(
      `\\b(?:(?:one|ones|those|none) (?:that|who|which|whose)|none of (?:them|those|these)|none (?:is|are|was|were)|those of)\\b`,
      'gi',
    ),
    fix: 'repeat the noun: "a file that", not "one that"',
  },
  {
    id: '9-history',
    pattern: phrase(
      `\\b(?:as before|taken again|at a load of|used to (?:be|have|do|take)|formerly|\\d+ ?% (?:faster|slower)|\\d+ times as (?:fast|slow|long|much|many))\\b`,
      'g',
    ),
    fix: 'history and measurements belong in benchmark notes and the changelog',
    only: ['comment', 'title', 'string'],
  },
  ...table('5-word', WORDS),
  ...table('5-dialect', DIALECT),
  ...table('1-spelling', SPELLING),
]

/** The check reads only the subjects of commits after this commit. */
export const FIRST_CHECKED = 'f86ad50b2b66305ff4ae75420daada6f0abd78d1'
export const SUBJECT = /^(?:Add|Fix|Remove|Change|Rename|Move|Speed up|Simplify|Document|Test|Revert|Release) /
export const SUBJECT_FIX = 'start with Add, Fix, Remove, Change, Rename, Move, Speed up, Simplify, Document, or Test'

export const LONGEST_CELL = 15
export const LONGEST_SENTENCE = 40

function phrase(source: string, flags: string): RegExp {
  return new RegExp(source.replaceAll(' ', '\\s+'), flags)
}
