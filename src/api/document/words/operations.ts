import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import type { DocumentWords } from './kind.ts'

/** Of the questions about companies: their parameters, and what each status means. */
export const operationWords: DocumentWords = {
  '#bedrift': ['Foretak.', 'Companies.'],
  '#endringer': ['Endringer og overvåking.', 'Changes, and what is watched.'],
  '#nokkel': ['Nøkkelen.', 'The key.'],
  '!nokkel': [
    `API-nøkkelen, bo_live_… eller bo_test_…. Til å prøve med, for alle: ${PUBLIC_TEST_KEY}`,
    `The API key, bo_live_… or bo_test_…. For everybody to try: ${PUBLIC_TEST_KEY}`,
  ],
  ':200': 'As felt with the name of the section.',
  ':304': 'Unchanged: If-None-Match has the tag of the answer.',
  'hentNokkelstatus:200': 'The key is valid.',
  'sokEtterForetak:200': 'Hits, the best first.',
  'foreslaForetak:200': 'Suggestions, the best first.',
  'finnForetak:200': 'One company, or candidates.',
  'hentBedrift:200': 'The company; with felt those fields alone, and what always comes along.',
  'hentAksjonaerer:200': 'One page.',
  'hentEierskap:200': 'The ownership.',
  'sokEtterForetak()':
    'The company a person means, first. Also by former names, names of sub-units and misspellings. visshet says whether the first is the only reasonable one.',
  'foreslaForetak()':
    'Small answers for each key pressed. Who is suggested for a beginning is suggested for each longer beginning of the name.',
  'finnForetak()':
    'For who has a name in a sheet and wants the number. Another company is never given as certain: where several are possible, foretak is null and kandidater a short list. At least one of navn, nettsted, telefon and epost.',
  'hentAksjonaerer()':
    'Holdings as of 31 December as the companies reported them. Shares, not votes. A year that is not imported is 404 aar_ikke_importert, never an empty list.',
  'hentEierskap()':
    'Computed from the shareholder register as of 31 December. Shares, not votes or beneficial owners. As statements of BODS 0.4 with Accept: application/vnd.bods+json or format=bods.',
  '?orgnr': 'Nine digits, the last a check digit. Spaces, full stops and NO…MVA are accepted.',
  '?fersk':
    'true: wait for the sources, also where there is a fresh copy. Once for a company and minute at most; the header x-fersk says whether it was given, or nylig (recently) or budsjett (its turn did not come).',
  '?felt':
    'These fields alone, with commas between: only the sources they need are asked. organisasjonsnummer, komplett and kilder always come along.',
  'sokEtterForetak?q': 'What is searched for.',
  'foreslaForetak?q': 'What has been written so far.',
  '?size': ['Så mange om gangen.', 'So many at a time.'],
  'sokEtterForetak?etter': 'neste of the page before of the same search.',
  '?etter': 'neste of the page before.',
  'hentAksjonaerer?etter': 'neste of the page before. The pages are of one edition then.',
  '?organisasjonsform': ['Kode.', 'Code.'],
  '?kommune': 'Number of the municipality.',
  '?fylke': 'Number of the county.',
  '?naeringskode': 'The code or its beginning, by SN2025 or SN2007.',
  '?ansatteFra': 'Companies with one to four employees count for each of these numbers.',
  '?ansatteTil': ['Høyst så mange.', 'So many at most.'],
  '?tilstand': ['Foretakets tilstand.', 'The state of the company.'],
  '?registrertFra': ['Registrert da eller senere.', 'Registered then or later.'],
  '?registrertTil': ['Registrert da eller før.', 'Registered then or before.'],
  '?type': ['Bare hovedenheter eller bare underenheter.', 'Main units alone, or sub-units alone.'],
  '?navn': 'The name, now or before; an organisation number will do.',
  '?sted': 'Post town, municipality or its number.',
  '?nettsted': 'The address or its host; the very same host alone answers.',
  '?telefon': 'A Norwegian number, eight digits.',
  '?epost': 'Its domain alone is used.',
  'x-nokkel-dager-igjen:':
    'In the last 30 days of a key alone, on every answer to its holder: days left, begun ones counted.',
  'x-request-id:': 'The id of the answer, in the log as well: give it if you get in touch.',
  'content-language:': 'The language its texts are in.',
  'www-authenticate:': 'How the key is sent, and what was wrong (RFC 6750).',
  'cache-status:': 'Whether the answer was at hand, and for how long it is fresh (RFC 9211).',
  'etag:': 'Weak, over the facts alone. Send it in If-None-Match the next time.',
  'link:': 'The next page (rel="next"), when there is one.',
  'age:': 'Seconds since the oldest of it was fetched.',
  'problem retry-after:': 'Seconds until it is worth trying again.',
  'retry-after:':
    'Only when something is missing that may be there later: seconds until it is worth asking again.',
  'x-ko:': 'Only when the answer was not at hand: look-ups that waited for their turn then.',
  '?aar': 'The holdings as of 31 December of this year; else the newest imported.',
  '?retning': 'opp: who owns it. ned: what it owns.',
  '?dybde': 'Levels each way. flagg.avkortet is true where there may be more.',
  '?format': 'Goes before Accept.',
}
