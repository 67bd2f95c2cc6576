// Runs before anything is installed, on the machine's own Node (18 or newer): `node --test test/first-try/first-try.test.mjs`.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createNewcomer, STARTS_WITHIN_MS } from './newcomer.mjs'
import { forgetNode, SHELLS } from './shells.mjs'

const isRoot = process.getuid?.() === 0
const FREE = { PORT: '0', OPS_PORT: '0' }
/** An operation on the machine as it is; another user's number is nobody's. */
const NOBODY = 65534
const SECTIONS =
  'overordnetEnhet adresser status roller signatur prokura naering regnskap kunngjoringer aksjonaerer eierskap konsern underenheter rollerIAndreForetak regnskapskopier'

const newcomer = createNewcomer()
after(() => newcomer.leave())

describe('P41: the first try', { timeout: 2 * STARTS_WITHIN_MS }, () => {
  const place = newcomer.clone('en klone æøå')

  test('`npm run demo` in a fresh clone answers the curl line it prints, as printed; two run beside each other; SIGTERM to one, and to all of the other, ends them with 0', async (t) => {
    const demo = newcomer.start(place, ['npm', 'run', 'demo'])
    t.after(() => demo.kill())
    const [, line] = await demo.says(/(curl .+\/api\/bedrift\/\d{9}\S*)/)
    const second = newcomer.start(place, ['npm', 'run', 'demo'])
    t.after(() => second.kill())
    const [, otherLine] = await second.says(/(curl .+\/api\/bedrift\/\d{9}\S*)/)
    for (const each of [line, otherLine]) {
      const { stdout } = spawnSync('sh', ['-c', `${each} -s -m 60 -w '\n%{http_code}'`], { encoding: 'utf8' })
      const [status, body] = [stdout.slice(-3), stdout.slice(0, -4)]
      assert.equal(status, '200', stdout)
      const record = JSON.parse(body)
      for (const section of SECTIONS.split(' ')) assert.ok(record[section]?.tilstand, section)
      assert.equal(record.komplett, true, JSON.stringify(record.kilder))
    }
    demo.signal('SIGTERM')
    // Everybody who belongs to it, npm and its shell too, who hand it on.
    second.signalAll('SIGTERM')
    for (const each of [demo, second]) assert.equal((await each.ended()).code, 0)
    assert.deepEqual(leftBehind(), [])
  })

  // What is installed for them anew takes as long as all the others take in the folder that has it.
  describe('and then', { concurrency: 2 }, () => {
    describe('in that folder', { concurrency: 1 }, () => {
      test('`npm start` of a user who is not root, in a folder closed to them, without network, is the whole service', async () => {
        const register = newcomer.start(place, ['node', 'config/tools/run.mjs', 'test/register.ts'])
        await register.says(/^KLASS_URL=/m)
        const home = join(newcomer.base, 'another home')
        mkdirSync(home)
        if (isRoot) chownSync(home, NOBODY, NOBODY)
        else chmodSync(place, 0o555)
        const around = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
        const variables = {
          ...FREE,
          ...Object.fromEntries(
            register
              .out()
              .trim()
              .split('\n')
              .map((each) => each.split(/=(.*)/)),
          ),
          HOME: home,
          DATA_DIR: join(home, 'data'),
          npm_config_registry: 'http://127.0.0.1:9',
        }
        const service = newcomer.start(place, ['npm', 'start'], { variables, around })
        const [, address] = await service.says(/listens on (\S+)/)
        const issue = [
          'npm',
          'run',
          '-s',
          'oppslag',
          '--',
          'nokkel',
          'utsted',
          '--hvorfor',
          'en prøve',
          '--epost',
          'a@example.com',
          '--vis',
          '--json',
        ]
        const issued = await newcomer.start(place, issue, { variables, around }).ended()
        const authorization = `Bearer ${JSON.parse(issued.out).nokkel}`
        for (const [path, headers, status] of [
          ['/openapi.json', {}, 200],
          ['/dokumentasjon', {}, 200],
          ['/api/bedrift/status', {}, 401],
          ['/api/bedrift/status', { authorization }, 200],
          ['/api/bedrift/123', { authorization }, 400],
          ['/api/bedrift/901012121', { authorization }, 200],
        ]) {
          const answer = await fetch(`${address}${path}`, { headers })
          assert.equal(answer.status, status, `${path}: ${await answer.text()}`)
        }
        assert.ok(existsSync(join(home, 'data', 'bedriftsoppslag.log')))
        service.signal('SIGTERM')
        assert.equal((await service.ended()).code, 0)
        register.signal('SIGTERM')
        assert.equal((await register.ended()).code, 0)
        if (!isRoot) chmodSync(place, 0o755)
      })

      test('a port that is taken is one line that names the variable, and nothing is left running', async () => {
        const other = createServer().listen(0, '127.0.0.1')
        await new Promise((resolve) => other.once('listening', resolve))
        for (const variable of ['PORT', 'OPS_PORT']) {
          const variables = {
            ...FREE,
            [variable]: String(other.address().port),
            DATA_DIR: join(newcomer.base, 'data'),
          }
          const { code, err } = await newcomer
            .start(place, ['npm', 'run', '-s', 'start'], { variables })
            .ended()
          assert.equal(code, 1)
          assert.match(ownLines(err), new RegExp(`^${variable}: .*EADDRINUSE.* Set ${variable} .*\n$`))
        }
        other.close()
        assert.deepEqual(leftBehind(), [])
      })

      for (const shell of SHELLS) {
        const program = shell.find(newcomer.base)
        test(`the first command is as good under ${shell.name}`, {
          skip: program === null && 'not on this machine',
        }, async () => {
          forgetNode(place)
          const { code, out, err } = await newcomer
            .start(place, ['npm', 'run', '-s', `--script-shell=${program}`, 'oppslag', '--', '--help'])
            .ended(STARTS_WITHIN_MS)
          assert.equal(code, 0, err)
          assert.match(out, /^Bruk: oppslag/)
        })
      }

      test('a Node that is too old, with none in the dependencies, is one line', {
        skip: isNewEnough() && 'the own Node is new enough',
      }, async () => {
        const carried = join(place, 'node_modules', `node-${process.platform}-${process.arch}`)
        renameSync(carried, `${carried}-away`)
        const { code, out, err } = await newcomer.start(place, ['npm', 'run', '-s', 'oppslag']).ended()
        renameSync(`${carried}-away`, carried)
        assert.equal(code, 1)
        assert.match(
          out + ownLines(err),
          /^Node 24\.12 or newer is needed and v\d+\.\d+\.\d+ was found\. .+\n$/,
        )
      })

      test('a full disk is one line, under the dependencies and under the data', {
        skip: !isRoot && 'root alone can make one',
      }, async () => {
        const full = join(newcomer.base, 'full')
        mkdirSync(full)
        const on = (megabytes, then) => [
          'unshare',
          '--mount',
          'sh',
          '-c',
          `mount -t tmpfs -o size=${megabytes}m none "$0" && ${then}`,
          full,
        ]
        const variables = { ...FREE, DATA_DIR: join(full, 'data'), LOG_FILE: join(newcomer.base, 'log') }
        const start = await newcomer.start(place, on(20, 'exec npm run -s start'), { variables }).ended()
        assert.equal(start.code, 1)
        assert.match(ownLines(start.err), /^DATA_DIR: no space is left on the disk of .+\n$/)
        const copy = `tar -C ${JSON.stringify(place)} --exclude=./node_modules --exclude=./.data -cf - . | tar -C "$0" -xf - && cd "$0" && exec npm run -s setup`
        const setup = await newcomer.start(place, on(60, copy)).ended(STARTS_WITHIN_MS)
        assert.notEqual(setup.code, 0)
        assert.match(ownLines(setup.err), /^No space is left on the disk: .+\n$/)
      })
    })

    test('Ctrl-C during the install, and again, and the third try is as good as the first', async () => {
      const another = newcomer.clone('avbrutt')
      for (let time = 1; time <= 2; time++) {
        const broken = newcomer.start(another, ['npm', 'run', 'setup'])
        await broken.says(/Installing dependencies/)
        await new Promise((resolve) => setTimeout(resolve, time * 1500))
        broken.signalAll('SIGINT')
        assert.notEqual((await broken.ended()).code, 0)
      }
      const help = newcomer.start(another, ['npm', 'run', '-s', 'oppslag', '--', '--help'])
      const { code, out, err } = await help.ended(STARTS_WITHIN_MS)
      assert.equal(code, 0, err)
      assert.match(out, /^Bruk: oppslag/)
    })
  })
})

/** Without what npm has to say of its own settings. */
function ownLines(text) {
  return text.replace(/^npm (warn|notice).*\n/gm, '')
}

function isNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 12)
}

/** The processes that were started from a newcomer's folder and still run. */
function leftBehind() {
  if (!existsSync('/proc/self/cmdline')) return []
  const { stdout } = spawnSync('sh', ['-c', 'grep -lsa "$0" /proc/[0-9]*/cmdline', newcomer.base], {
    encoding: 'utf8',
  })
  return stdout
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => {
      try {
        return readFileSync(path, 'utf8').replaceAll('\0', ' ')
      } catch {
        return ''
      }
    })
    .filter((command) => command.includes('postgres -D') || command.includes('test/demo.ts'))
}
