import { lchown, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openRefusedReport } from '#src/commands/oppslag/refused-report.ts'

it.runIf(process.getuid?.() === 0)(
  'P172: attack: a link that another user has put in the place of a report leads nowhere (needs root)',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avvist-'))
    try {
      const [ours, report] = [join(folder, 'vår'), join(folder, 'avvist.csv')]
      await writeFile(ours, 'urørt')
      await symlink(ours, report)
      const write = () => openRefusedReport(report, { header: 'linje', asLine: String }).end()
      await lchown(report, 65_534, 65_534)
      expect(write).toThrow(/avvist\.csv/)
      expect(await readFile(ours, 'utf8')).toBe('urørt')
      await lchown(report, 0, 0)
      write()
      expect(await readFile(ours, 'utf8')).toBe('linje\n')
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
