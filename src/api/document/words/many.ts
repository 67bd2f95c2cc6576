import type { DocumentWords } from './kind.ts'

/** Of many companies at once. */
export const manyWords: DocumentWords = {
  'slaaOppMange()':
    'Answers in NDJSON: a line for each number, in the order given, and last a summary; where that is missing, the answer was cut off. With Accept text/csv or xlsx: fixed columns.',
  'slaaOppMange:200': 'One answer for each number.',
  'slaaOppMange>text/plain': 'One number on each line.',
  'slaaOppMange>text/csv': 'The column organisasjonsnummer, else the first.',
  'slaaOppMange>application/json': ['En liste av numre.', 'A list of numbers.'],
  'slaaOppMange>': ['Numrene.', 'The numbers.'],
  Linje: ['En linje av svaret.', 'A line of the answer.'],
  Foretakslinje: ['Et nummer og foretaket.', 'A number and the company.'],
  Feillinje: ['Et nummer og feilen.', 'A number and its problem.'],
  Sluttlinje: ['Den siste linjen.', 'The last line.'],
  Oppsummering: ['Hva som ble svart.', 'What was answered.'],
  linje: ['Nummerets plass, fra 1.', 'The place of the number, from 1.'],
  'Foretakslinje.provIgjenEtter': 'Seconds: something is missing that may be there then.',
  provIgjenEtter: 'Seconds: ask again then.',
  oppgitt: 'What stood there, where it is no number.',
  linjer: ['Numre det ble spurt om.', 'Numbers that were asked for.'],
  'Oppsummering.foretak': ['Foretak som ble svart.', 'Companies that were answered.'],
  feil: ['Numre med en feil.', 'Numbers with a problem.'],
  ufullstendige: ['Foretak det mangler noe av.', 'Companies of which something is missing.'],
  dubletter: ['Numre som sto flere ganger.', 'Numbers that stood several times.'],
}

/** Of batches: lists that are handed in and fetched later. */
export const batchWords: DocumentWords = {
  'bestillMange()':
    'Takes the list and answers at once; it is gone through behind all single look-ups. The same Idempotency-Key with the same list is the same order. A key has ten at most at a time, and each is deleted after seven days or by DELETE.',
  'bestillMange:202': 'The list is taken on.',
  'bestillMange>text/plain': 'One number on each line.',
  'bestillMange>text/csv': 'The column organisasjonsnummer, else the first.',
  'bestillMange>application/json': ['En liste av numre.', 'A list of numbers.'],
  'bestillMange>': ['Numrene.', 'The numbers.'],
  'bestillMange?idempotency-key':
    'What you call the list: send the same again when you do not know whether it arrived.',
  'hentBestilling:200': 'The list as it stands now.',
  'avbrytBestilling()': 'The list is deleted and the work on it ends, also when it is done.',
  'avbrytBestilling:204': 'Gone.',
  'hentResultat()':
    'As slaaOppMange, written as it is taken home: what changed since is as it is now. With Accept text/csv the table comes piece by piece, and one that is cut off breaks the connection. Workbooks for up to 2000 lines.',
  'hentResultat:200': 'One answer for each number.',
  'hentResultat?fra': 'The line to begin with, when what came before is here already.',
  '?id': "The list's id.",
  'location:': "The list's address.",
  Bestilling: ['En liste som er tatt imot.', 'A list that was taken on.'],
  'Bestilling.id': 'What the list is called, 32 characters.',
  Bestillingsfremdrift: "venter: the key's turn has not come. ferdig: the result can be had.",
  'Bestilling.linjer': 'Numbers in the list, each once.',
  behandlet: 'Lines that have been gone through so far.',
  'Bestilling.foretak': 'Of these: companies that were found.',
  'Bestilling.feil': 'Of these: lines with a problem instead.',
  'Bestilling.ufullstendige':
    'Of these: companies of which something was missing. It is asked for again when the result is taken home.',
  felt: 'null: all fields.',
  mottatt: ['Da listen ble tatt imot.', 'When the list was taken on.'],
  begynt: ['Da arbeidet begynte.', 'When the work began.'],
  ferdig: ['Da hele listen var gått gjennom.', 'When all of the list had been gone through.'],
  slettes: 'Then the list is gone, and the result with it.',
  resultat: 'Where the result is had; null until it is done.',
}
