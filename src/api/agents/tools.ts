import type { CompanyTool } from './company-tool.ts'
import { eiereTool } from './tools/eiere.ts'
import { foretakTool } from './tools/foretak.ts'
import { signeringTool } from './tools/hvem-kan-signere.ts'
import { konsernTool } from './tools/konsern.ts'
import { kunngjoringerTool } from './tools/kunngjoringer.ts'
import { regnskapTool } from './tools/regnskap.ts'
import { rollerTool } from './tools/roller.ts'

/** What agents may ask of a company, a file each. */
export const companyTools: readonly CompanyTool[] = [
  foretakTool,
  rollerTool,
  signeringTool,
  regnskapTool,
  eiereTool,
  konsernTool,
  kunngjoringerTool,
]
