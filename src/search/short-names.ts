import { readName } from './name.ts'

/**
 * What everybody calls a public body and no register says. Only public bodies, and only names the body uses of itself: each
 * is how its own site is called, or what it calls itself there. Numbers and sites: the list of public bodies that Altinn
 * publishes (github.com/Altinn/altinn-cdn, orgs/altinn-orgs.json); of those below it two lists that agree, of numbers looked
 * up in Enhetsregisteret (2026-09), and the body's own site.
 */
export const publicBodies: readonly { orgnr: number; names: readonly string[]; source: string }[] = [
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
  { orgnr: 971349077, names: ['HI'], source: 'https://www.hi.no' },
  { orgnr: 971527412, names: ['Kulturrådet'], source: 'https://www.kulturradet.no' },
  { orgnr: 976029100, names: ['NB'], source: 'https://www.nb.no' },
  // Not in that list.
  { orgnr: 970205039, names: ['NVE'], source: 'https://www.nve.no' },
  { orgnr: 983744516, names: ['FHI'], source: 'https://www.fhi.no' },
  { orgnr: 986252932, names: ['DFØ'], source: 'https://www.dfo.no' },
  { orgnr: 971035854, names: ['UiO'], source: 'https://www.uio.no' },
  { orgnr: 874789542, names: ['UiB'], source: 'https://www.uib.no' },
  { orgnr: 974767880, names: ['NTNU'], source: 'https://www.ntnu.no' },
  { orgnr: 970422528, names: ['UiT'], source: 'https://uit.no' },
  { orgnr: 971564679, names: ['UiS'], source: 'https://www.uis.no' },
  { orgnr: 970546200, names: ['UiA'], source: 'https://www.uia.no' },
  { orgnr: 911770709, names: ['USN'], source: 'https://www.usn.no' },
  { orgnr: 997058925, names: ['OsloMet'], source: 'https://www.oslomet.no' },
  { orgnr: 969159570, names: ['NMBU'], source: 'https://www.nmbu.no' },
  { orgnr: 974789523, names: ['NHH'], source: 'https://www.nhh.no' },
  { orgnr: 917641404, names: ['HVL'], source: 'https://www.hvl.no' },
  { orgnr: 971567376, names: ['HiØ', 'hiof'], source: 'https://www.hiof.no' },
  { orgnr: 971526378, names: ['AHO'], source: 'https://aho.no' },
  { orgnr: 974761106, names: ['NMH'], source: 'https://nmh.no' },
  { orgnr: 971526033, names: ['NIH'], source: 'https://www.nih.no' },
  { orgnr: 977027233, names: ['KHiO'], source: 'https://khio.no' },
  { orgnr: 974761017, names: ['PHS'], source: 'https://www.politihogskolen.no' },
  { orgnr: 993467049, names: ['OUS'], source: 'https://www.oslo-universitetssykehus.no' },
  { orgnr: 983971636, names: ['Ahus'], source: 'https://www.ahus.no' },
  { orgnr: 983974899, names: ['UNN'], source: 'https://www.unn.no' },
  { orgnr: 983974724, names: ['Haukeland'], source: 'https://www.helse-bergen.no' },
  { orgnr: 983974678, names: ['SUS'], source: 'https://www.sus.no' },
  { orgnr: 983975259, names: ['SiV'], source: 'https://www.siv.no' },
  { orgnr: 983975267, names: ['STHF'], source: 'https://www.sthf.no' },
  { orgnr: 983975240, names: ['SSHF'], source: 'https://www.sshf.no' },
]

const byNumber = new Map(publicBodies.map(({ orgnr, names }) => [orgnr, names]))
const byKey = Map.groupBy(
  publicBodies.flatMap(({ orgnr, names }) => names.map((name) => ({ orgnr, key: readName(name).key }))),
  ({ key }) => key,
)

/** [] of most. */
export function shortNamesOf(orgnr: number): readonly string[] {
  return byNumber.get(orgnr) ?? []
}

/** Who is called so; for where there is no index to look in. */
export function calledSo(text: string): number[] {
  return (byKey.get(readName(text).key) ?? []).map(({ orgnr }) => orgnr)
}
