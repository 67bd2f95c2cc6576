/**
 * What decides which company a person means, in points. A hit's points are those of how its name answers the question and
 * those of what the company is. Beside each stands a question that needs it; `test/search/golden.test.ts` and
 * `npm run bench:search` tell what a change costs the others.
 */
export const weights = {
  /** How a name answers a question. */
  match: {
    /** `Equinor ASA`: the whole name, the form of company apart. */
    whole: 100,
    /** `AASEN` asked for with å, `Å` asked for with A: letters as they were typed before letters that fold alike. */
    asTyped: 12,
    /** `abg sundal collier asa`: the form of company was typed too. */
    form: 4,
    /** `ssb`: what everybody calls a public body. */
    shortName: 100,
    /** `statoil`: a name it had. Behind whoever has it now. */
    formerWhole: 92,
    /** `kiwi` for KIWI NORGE, `hydro` for NORSK HYDRO: all but what every group is called besides. */
    core: 86,
    /** `danske bank norge`: more is typed than is in the name. Behind `telenor norge`, whose name is just that. */
    coreAsked: 64,
    /** `telenor n`: the beginning, up to the end of a word … */
    beginsWords: 68,
    /** `storeb`: … or into one. */
    begins: 60,
    /** `hydro energi` for NORSK HYDRO ENERGI. */
    beginsCore: 62,
    /** `taco tromsø`: every word is there, in any order … */
    allWords: 52,
    /** `kreditt hypotek`: … and so many of these for the share of the name they make up, … */
    allWordsCovering: 12,
    /** … `if forsikring` for IF SKADEFORSIKRING: of which a part of a word counts so much. */
    wordPart: 0.75,
    wordBegun: 0.9,
    /** `vg`, `uio`. */
    initials: 44,
    /** `narvesen`: the sign over several doors of one company … */
    brand: 74,
    /** … and so many for each doubling of the doors: REITAN CONVENIENCE before a shop in Narvesen Street. */
    brandDoors: 2,
    /** `vinduer hovland trevarefabrik`: some of the words; so many when they are nearly all that matters. */
    someWords: 40,
    /** Of the words' weight, below which it is no answer. */
    someWordsLeast: 0.45,
    /** `telnor`: what is lost by each letter that is wrong. */
    typo: 14,
    /** `kråstrek`: of a whole name less; two letters are four times as bad as one, whoever the company is. */
    typoWhole: 7,
    /** `equinor.com`: the site is the company's own … */
    site: 110,
    /** … `obos.no`: and one that many share is somebody's service. Its owner bears its name. */
    siteShared: 30,
    siteNamed: 40,
    /** `uio`: a site is called so, which is no proof, … */
    siteLabel: 62,
    /** … and speaks for a company whose name answers as well. */
    siteToo: 12,
    phone: 110,
    number: 200,
    /** `finn?navn=…&nettsted=…`: what a further clue adds of its own points … */
    clueToo: 0.5,
    /** … and `finn?navn=…&sted=…`: namesakes are told apart by where they are. */
    place: 16,
  },
  /** What a company is, before anything is asked. */
  company: {
    /** `storebrand`: the listed parent before the property companies that bear its name. */
    form: {
      ASA: 28,
      SF: 24,
      KOMM: 24,
      FYLK: 24,
      STAT: 24,
      SA: 18,
      BBL: 18,
      SPA: 18,
      GFS: 18,
      SÆR: 15,
      AS: 15,
      ORGL: 14,
      IKS: 10,
      KF: 8,
      FKF: 8,
      STI: 6,
      SE: 15,
      ANS: 2,
      DA: 2,
      KS: 2,
      BA: 5,
      NUF: -6,
      FLI: -14,
      /** `tine`: a dairy before a sole proprietor of that name. */
      ENK: -24,
      BRL: -16,
      ESEK: -16,
      KTRF: -16,
      PK: -16,
      PRE: -16,
      TVAM: -20,
      KBO: -60,
    } as Record<string, number>,
    formOther: -4,
    /** `rema`: for each tenfold of employees. */
    employees: 6,
    /** For each tenfold of sub-units. */
    subUnits: 5,
    /** `narvesen bergen`: an establishment is asked for by more than its company's name. */
    subUnit: -30,
    /** `dnb`: DNB ASA is no more. */
    ceased: -70,
    /** Bankrupt, or being wound up. */
    ending: -20,
    /** `shell`: SHELL-VETERANENE, boat clubs and pension funds bear the names of others. */
    satellite: -36,
  },
  /** `stateraft`: the shorter of two names that begin alike; for each word, and for each ten letters. */
  nameWord: 4,
  nameTenLetters: 2,
  band: {
    /** `statkraft`: AS and SF. One is certain when it is so far ahead of the next … */
    ahead: 10,
    /** … or so far when little was typed: three letters name many things. */
    aheadShort: 28,
    shortLetters: 3,
    /** … of hits that are as whole as this. `kiwi`, `eqinor`: what had to be filled in is offered, never certain. */
    certainFrom: 92,
  },
} as const
