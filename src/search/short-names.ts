import { readName } from './name.ts'

/**
 * What everybody calls a public body and no register says. Only public bodies, and only names the body uses of itself: each
 * is how its own site is called. Numbers and sites: the list of public bodies that Altinn publishes
 * (github.com/Altinn/altinn-cdn, orgs/altinn-orgs.json), apart from those that name another source.
 */
const BODIES: readonly { orgnr: number; names: readonly string[]; source: string }[] = [
  { orgnr: 974760673, names: ['brreg'], source: 'https://www.brreg.no' },
  { orgnr: 986128433, names: ['bufdir'], source: 'https://www.bufdir.no' },
  { orgnr: 974760223, names: ['dibk'], source: 'https://dibk.no' },
  { orgnr: 991825827, names: ['digdir'], source: 'https://www.digdir.no' },
  { orgnr: 974760282, names: ['dirmin', 'DMF'], source: 'https://dirmin.no' },
  { orgnr: 974760983, names: ['DSB'], source: 'https://www.dsb.no' },
  { orgnr: 971203420, names: ['fiskeridir'], source: 'https://www.fiskeridir.no' },
  { orgnr: 983544622, names: ['hdir'], source: 'https://www.helsedirektoratet.no' },
  { orgnr: 974446871, names: ['Nkom'], source: 'https://www.nkom.no' },
  { orgnr: 889640782, names: ['NAV'], source: 'https://www.nav.no' },
  { orgnr: 984936923, names: ['NPE'], source: 'https://www.npe.no' },
  { orgnr: 985165262, names: ['NSM'], source: 'https://www.nsm.no' },
  { orgnr: 994598759, names: ['NHN'], source: 'https://www.nhn.no' },
  { orgnr: 974761262, names: ['sdir'], source: 'https://www.sdir.no' },
  { orgnr: 971526920, names: ['SSB'], source: 'https://www.ssb.no' },
  { orgnr: 874761222, names: ['STAMI'], source: 'https://stami.no' },
  { orgnr: 971032081, names: ['vegvesenet', 'SVV'], source: 'https://www.vegvesen.no' },
  { orgnr: 974761076, names: ['skatteetaten'], source: 'https://www.skatteetaten.no' },
  { orgnr: 974760746, names: ['UDI'], source: 'https://www.udi.no' },
  { orgnr: 970018131, names: ['Udir'], source: 'https://www.udir.no' },
  // Not in that list: the body's own site.
  { orgnr: 971035854, names: ['UiO'], source: 'https://www.uio.no' },
  { orgnr: 874789542, names: ['UiB'], source: 'https://www.uib.no' },
  { orgnr: 974767880, names: ['NTNU'], source: 'https://www.ntnu.no' },
  { orgnr: 970205039, names: ['NVE'], source: 'https://www.nve.no' },
  { orgnr: 983744516, names: ['FHI'], source: 'https://www.fhi.no' },
  { orgnr: 986252932, names: ['DFØ'], source: 'https://www.dfo.no' },
]

const byNumber = new Map(BODIES.map(({ orgnr, names }) => [orgnr, names]))

/** [] of most. */
export function shortNamesOf(orgnr: number): readonly string[] {
  return byNumber.get(orgnr) ?? []
}

/** Who is called so; for where there is no index to look in. */
export function calledSo(text: string): number[] {
  const { key } = readName(text)
  return BODIES.filter(({ names }) => names.some((name) => readName(name).key === key)).map(
    ({ orgnr }) => orgnr,
  )
}
