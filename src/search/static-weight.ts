import type { SearchName } from './name.ts'
import { weights } from './weights.ts'

/** What is known of a company besides its names. */
export type WeightFacts = {
  form: string
  employees: number | null
  subUnits: number
  isSubUnit: boolean
  hasCeased: boolean
  isEnding: boolean
}

/** The points of a company under one of its names, whatever is asked. Whole numbers: they are stored. */
export function weightOf(facts: WeightFacts, name: SearchName): number {
  const { company } = weights
  let points = company.form[facts.form] ?? company.formOther
  if (facts.isSubUnit) points = company.subUnit
  points += company.employees * Math.log10(1 + (facts.employees ?? 0))
  points += company.subUnits * Math.log10(1 + facts.subUnits)
  if (facts.hasCeased) points += company.ceased
  else if (facts.isEnding) points += company.ending
  if (isSatellite(name)) points += company.satellite
  return Math.round(points)
}

/** The order of names that begin alike: the weightier company, the shorter name. The same for every beginning they share. */
export function orderOfName(weight: number, { words, key }: SearchName): number {
  const length = weights.nameWord * words.length + (weights.nameTenLetters * Math.min(key.length, 100)) / 10
  return Math.round(10 * (weight - length))
}

/** Who bears another's name: its club, its pensioners, its pension fund. */
function isSatellite({ words }: SearchName): boolean {
  return words.some((word, index) => index > 0 && SATELLITE.test(word))
}

const SATELLITE =
  /^(?:.*(?:vennelag|vennforening|pensjonskasse|pensjonsfond|pensjonistforening|pensjonistlag|seniorklubb|idrettslag|idrettsforening|sportsklubb|filmklubb|batforening|hytteforening|velforening|fagforening|personalklubb|personalforening|kunstforening|veteraner|veteranene|veteranforening|stottefond|korps|musikklag|konkursbo)|klubb|klubben|bil|kunstklubb)$/
