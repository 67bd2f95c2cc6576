import { execFile } from 'node:child_process'
import { lchown, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

it.runIf(process.getuid?.() === 0)(
  'P161: attack: a report whose disk has room for some of it ends no import, and is not taken for whole (needs root, who may mount)',
  async (context) => {
    const small = await mkdtemp(join(tmpdir(), 'avvist-'))
    const mount = promisify(execFile)('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', small])
    if ((await mount.catch(() => null)) === null) return context.skip('this root may not mount')
    try {
      // At the end, and long before it.
      for (const lines of [5000, 50_000]) {
        const path = join(small, 'avvist.csv')
        const report = openRefusedReport(path, { header: 'linje', asLine: String })
        for (let line = 0; line < lines; line++) report.add(line)
        report.end()
        expect(report.isWhole()).toBe(false)
        expect(() => report.requireWhole()).toThrow(
          `${path} kunne ikke skrives, og har ikke alle avviste (ENOSPC)`,
        )
        expect(report.first).toHaveLength(10)
      }
    } finally {
      await promisify(execFile)('umount', [small])
      await rm(small, { recursive: true })
    }
  },
)
