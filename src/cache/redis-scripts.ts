import { STAMP_AT, STAMP_LENGTH } from './packing.ts'
import type { Numbered } from './redis-in-step.ts'

/** A company has some thirty fields. Its longest section is 4 MB before it is packed; an answer lies beside it in both its forms. */
const FIELDS_MAX = 1000
const BYTES_MAX = 8 * 1024 * 1024

/**
 * What Redis does in one step each. One hash per company holds everything about it, so that one command reads it and one
 * deletes it:
 *
 *     <section>      a packed entry
 *     !g             the company's generation: raised by every purge and invalidation
 *     !x             its tombstone: nothing is written any more
 *     !l:<section>   the lease on filling that section: "<fencing token>:<until, in microseconds>"
 *
 * Beside it, for minutes, a whole answer that was made of those entries may lie, under a name of its own, so that Redis lets go
 * of it by itself:
 *
 *     by, of, as     by whom it was made, of which sections, and the stamps their entries had
 *     gzip, plain    the answer packed and, where it was asked for so, as it is: each as the service wrote it, in one piece
 *
 * Whoever changes anything of the company takes it away in the same step. Whoever asks for it is given it only where the entries
 * have those stamps still: also a release that knows nothing of such answers can not leave one behind that is not true.
 *
 * Generations and tokens are Redis' own time in microseconds, made to increase. So they stay in order even when the hash was
 * evicted in between, which counters in it would not.
 *
 * Times to live are handed over as durations: the clocks of Redis and of the service need not agree.
 * Every change is told on the channel in the same step, so nobody can have made it and not said so.
 *
 * What somebody else has put there under our names, of another type or larger than anything of ours, is dropped before it is
 * looked at: half a gigabyte would be read whole, and a company whose name holds a text could be neither changed nor erased.
 */
const common = `
local function micros()
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000000 + tonumber(t[2])
end
local function after(last)
  return string.format('%.0f', math.max(micros(), (tonumber(last) or 0) + 1))
end
local function keepAtLeast(key, ms)
  if redis.call('PTTL', key) < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
end
local function dropStrange(key, count)
  local fields = redis.pcall(count or 'HLEN', key)
  if fields == 0 then return end
  local isOurs
  if type(fields) == 'number' then
    isOurs = fields <= ${FIELDS_MAX} and redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0) <= ${BYTES_MAX}
  else
    isOurs = not string.find(fields.err, 'WRONGTYPE', 1, true)
  end
  if not isOurs then redis.call('UNLINK', key) end
end
local function lease(text)
  if not text then return nil, 0 end
  local token, till = string.match(text, '^(%d+):(%d+)$')
  return token, tonumber(till) or 0
end
`

const stamps = `
local function stampsOf(key, sections)
  local names = {}
  for name in string.gmatch(sections, '[^,]+') do names[#names + 1] = name end
  local held = redis.call('HMGET', key, '!x', unpack(names))
  if held[1] then return nil end
  local all = ''
  for i = 1, #names do all = all .. string.sub(held[i + 1] or '', ${STAMP_AT + 1}, ${STAMP_AT + STAMP_LENGTH}) end
  return all
end
`

/**
 * leaseMs, and of several companies, two keys each: made by ('' asks for no answer), form, sections, …
 * → each an answer of that maker that is still true, in that form or else packed; else [field, value, …]: all that is held; else
 * ['!t', token]: nothing is, and the leases on filling these sections are taken
 */
const read = `${common}${stamps}
local function beginAll(key, sections)
  local token = after(nil)
  local lease = token .. ':' .. string.format('%.0f', micros() + tonumber(ARGV[1]) * 1000)
  local leases = {}
  for name in string.gmatch(sections, '[^,]+') do
    leases[#leases + 1] = '!l:' .. name
    leases[#leases + 1] = lease
  end
  -- A Redis that is full takes none: who fills is asked for as if there was something.
  local taken = redis.pcall('HSET', key, unpack(leases))
  if type(taken) == 'table' and taken.err then return {} end
  keepAtLeast(key, ARGV[1])
  return {'!t', token}
end
local function readOne(key, answerKey, by, form, sections)
  dropStrange(key)
  if by ~= '' then
    dropStrange(answerKey)
    local kept = redis.call('HMGET', answerKey, 'by', 'of', 'as', form)
    if kept[1] == by and stampsOf(key, kept[2]) == kept[3] then
      local answer = kept[4] or redis.call('HGET', answerKey, 'gzip')
      if answer then return answer end
    end
  end
  local held = redis.call('HGETALL', key)
  if #held == 0 and sections ~= '' then return beginAll(key, sections) end
  return held
end
local all = {}
for i = 1, #KEYS / 2 do
  all[i] = readOne(KEYS[2 * i - 1], KEYS[2 * i], ARGV[3 * i - 1], ARGV[3 * i], ARGV[3 * i + 1])
end
return all
`

/** made by, sections, their stamps, the answer in gzip, keepForMs → 1 when those are the entries that are held, so that it was kept */
const keep = `${stamps}
if stampsOf(KEYS[1], ARGV[2]) ~= ARGV[3] then return 0 end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[2], 'by', ARGV[1], 'of', ARGV[2], 'as', ARGV[3], 'gzip', ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return 1
`

/** how the answer in gzip begins, the same one plain → 1 when it is that one that lies there, for as long as which it is kept */
const keepPlain = `
local kept = redis.call('HGET', KEYS[1], 'gzip')
if not kept or string.sub(kept, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'plain', ARGV[2])
return 1
`

/** leaseMs, and a section for each key → each ['erased'] | ['busy', generation, '', entry] | ['begun', generation, token, entry] */
const begin = `${common}
local function beginOne(key, section)
  dropStrange(key)
  local field = '!l:' .. section
  local held = redis.call('HMGET', key, '!x', '!g', field, section)
  if held[1] then return {'erased'} end
  local now = micros()
  local token, till = lease(held[3])
  if till > now then return {'busy', held[2] or '0', '', held[4]} end
  token = after(token)
  redis.call('HSET', key, field, token .. ':' .. string.format('%.0f', now + tonumber(ARGV[1]) * 1000))
  keepAtLeast(key, ARGV[1])
  return {'begun', held[2] or '0', token, held[4]}
end
local all = {}
for i = 1, #KEYS do all[i] = beginOne(KEYS[i], ARGV[i + 1]) end
return all
`

/** section, token, leaseMs → 1 when the lease was still held */
const renew = `${common}
local field = '!l:' .. ARGV[1]
if lease(redis.call('HGET', KEYS[1], field)) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], field, ARGV[2] .. ':' .. string.format('%.0f', micros() + tonumber(ARGV[3]) * 1000))
keepAtLeast(KEYS[1], ARGV[3])
return 1
`

/** section, token → 1 when the lease was still held */
const release = `${common}
local field = '!l:' .. ARGV[1]
if lease(redis.call('HGET', KEYS[1], field)) ~= ARGV[2] then return 0 end
return redis.call('HDEL', KEYS[1], field)
`

/**
 * Nothing of a company is kept under a version that is not listed beforehand, so whoever erases it finds every one there is
 * (P11). One that nothing was written under for longer than any copy lives has none left.
 */
const list = `
local function list(version)
  dropStrange(KEYS[2], 'ZCARD')
  redis.call('ZADD', KEYS[2], 'GT', micros(), version)
end
`

/** keepMs → the versions something may still be kept under */
const versions = `${common}
dropStrange(KEYS[1], 'ZCARD')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', micros() - tonumber(ARGV[1]) * 1000)
return redis.call('ZRANGE', KEYS[1], 0, -1)
`

/**
 * channel, message, version, and for each section of the company: section, entry, keepForMs, generation, token
 * → each 'stored' or why not. What is stored of them is told once.
 */
const write = `${common}${list}
local function writeOne(section, entry, keepForMs, generation, token)
  local field = '!l:' .. section
  local held = redis.call('HMGET', KEYS[1], '!x', '!g', field)
  if held[1] then return 'erased' end
  if (held[2] or '0') ~= generation then return 'generation' end
  if lease(held[3]) ~= token then return 'lease' end
  redis.call('DEL', KEYS[3])
  list(ARGV[3])
  redis.call('HSET', KEYS[1], section, entry)
  redis.call('HDEL', KEYS[1], field)
  keepAtLeast(KEYS[1], keepForMs)
  return 'stored'
end
local all = {}
local isTold = false
for i = 4, #ARGV, 5 do
  local written = writeOne(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
  all[#all + 1] = written
  if written == 'stored' and not isTold then
    isTold = true
    redis.call('PUBLISH', ARGV[1], ARGV[2])
  end
end
return all
`

/**
 * section, entry, keepForMs, generation, version, company, when it was fetched → 'stored' or why not. Nobody is told: nothing is other
 * than it was. Whoever fills the section now brings something newer. Of what was not held when all was gone through there is no
 * generation: it is refused when it was fetched before that.
 */
const restore = `${common}${list}
local held = redis.call('HMGET', KEYS[1], '!x', '!g', '!l:' .. ARGV[1], ARGV[1])
if held[1] then return 'erased' end
if (held[2] or '0') ~= ARGV[4] then return 'generation' end
if held[3] then return 'lease' end
if held[4] then return 'there' end
local swept = redis.pcall('HGETALL', KEYS[4])
for i = 1, #swept, 2 do
  local prefix, section = string.match(swept[i], '^([^/]*)/(.*)$')
  local isMeant = prefix == string.sub(ARGV[6], 1, #(prefix or '')) and (section == '*' or section == ARGV[1])
  if isMeant and tonumber(ARGV[7]) <= (tonumber(swept[i + 1]) or 0) then return 'swept' end
end
redis.call('DEL', KEYS[3])
list(ARGV[5])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
keepAtLeast(KEYS[1], ARGV[3])
return 'stored'
`

/**
 * Two keys for each company; 'soften' | 'purge', time (6 bytes), generationKeepMs, channel, message ('' tells nobody), sections …
 * ('*' is all) → of how many a section was held.
 * A company that is not held here gets its generation all the same: a process that holds it in memory and could not hear
 * the change finds by it, when it next asks, that its copy is of no use. Otherwise a Redis that came back empty, or had to
 * make room, would confirm that copy.
 */
const change = `${common}
local meant = {}
for i = 6, #ARGV do meant[ARGV[i]] = true end
local function changeOne(key, answerKey)
  dropStrange(key)
  redis.call('DEL', answerKey)
  local fields = redis.call('HKEYS', key)
  if redis.call('HEXISTS', key, '!x') == 1 then return 0 end
  local held = 0
  local generation = after(redis.call('HGET', key, '!g'))
  -- Deleting goes first: it is allowed when memory is full, and a script that has begun to write may go on.
  redis.call('HDEL', key, '!g')
  for _, field in ipairs(fields) do
    if string.sub(field, 1, 3) == '!l:' then redis.call('HDEL', key, field) end
  end
  for _, field in ipairs(fields) do
    if string.sub(field, 1, 1) ~= '!' then
      held = 1
      if meant['*'] or meant[field] then
        if ARGV[1] == 'purge' then
          redis.call('HDEL', key, field)
        else
          local entry = redis.call('HGET', key, field)
          if #entry >= 11 then
            -- Fresh no longer than until then, and said to be stale also where it was stale before: see packing.ts.
            local fresh = string.sub(entry, 5, 10)
            if fresh > ARGV[2] then fresh = ARGV[2] end
            local said = string.sub(entry, 1, 4) .. fresh .. '\\1' .. string.sub(entry, 12)
            redis.call('HSET', key, field, said)
          end
        end
      end
    end
  end
  redis.call('HSET', key, '!g', generation)
  keepAtLeast(key, ARGV[3])
  return held
end
if ARGV[5] ~= '' then redis.call('PUBLISH', ARGV[4], ARGV[5]) end
local held = 0
for i = 1, #KEYS, 2 do held = held + changeOne(KEYS[i], KEYS[i + 1]) end
return held
`

/**
 * time, keepMs, channel, message, "<prefix>/<section or *>" … : all that is meant is gone through from now on. Deleting goes first, as
 * with any change.
 */
const swept = `${common}
dropStrange(KEYS[1])
for i = 5, #ARGV do
  redis.call('HDEL', KEYS[1], ARGV[i])
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('PUBLISH', ARGV[3], ARGV[4])
`

/** '1' to leave a tombstone, channel, message. Deleting first is what lets a full Redis take the tombstone. */
const erase = `${common}
dropStrange(KEYS[1])
local generation = after(redis.call('HGET', KEYS[1], '!g'))
redis.call('DEL', KEYS[1], KEYS[2])
if ARGV[1] == '1' then redis.call('HSET', KEYS[1], '!x', '1', '!g', generation) end
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1
`

/** … and last the number of the question → that number, and what the script tells: see `redis-in-step.ts`. */
const numbered = (lua: string) => `
local function work()
${lua}
end
local number = table.remove(ARGV)
return {number, work()}
`

export const scripts = {
  // Where no number of keys stands it is said with each.
  cacheRead: { lua: numbered(read) },
  cacheKeep: { lua: keep, numberOfKeys: 2 },
  cacheKeepPlain: { lua: keepPlain, numberOfKeys: 1 },
  cacheBegin: { lua: numbered(begin) },
  cacheRenew: { lua: renew, numberOfKeys: 1 },
  cacheRelease: { lua: release, numberOfKeys: 1 },
  cacheWrite: { lua: numbered(write), numberOfKeys: 3 },
  cacheRestore: { lua: restore, numberOfKeys: 4 },
  cacheChange: { lua: change },
  cacheSwept: { lua: swept, numberOfKeys: 1 },
  cacheErase: { lua: erase, numberOfKeys: 2 },
  cacheVersions: { lua: versions, numberOfKeys: 1 },
}

/** The commands those scripts become on a connection. */
export type ScriptCommands = {
  cacheReadBuffer(
    keys: number,
    ...keysLeaseMsMakersFormsSectionsAndNumber: (string | number)[]
  ): Promise<Numbered<(Buffer | Buffer[])[]>>
  cacheKeep(
    key: string,
    answerKey: string,
    madeBy: string,
    sections: string,
    stamps: Buffer,
    gzip: Buffer,
    keepForMs: number,
  ): Promise<number>
  cacheKeepPlain(answerKey: string, gzipBegins: string, plain: Buffer): Promise<number>
  cacheBeginBuffer(
    keys: number,
    ...keysLeaseMsSectionsAndNumber: (string | number)[]
  ): Promise<Numbered<(Buffer | null)[][]>>
  cacheRenew(key: string, section: string, token: string, leaseMs: number): Promise<number>
  cacheRelease(key: string, section: string, token: string): Promise<number>
  cacheWrite(
    key: string,
    versions: string,
    answerKey: string,
    channel: string,
    message: string,
    version: number,
    ...sectionsAndNumber: (string | number | Buffer)[]
  ): Promise<Numbered<string[]>>
  cacheRestore(
    key: string,
    versions: string,
    answerKey: string,
    swept: string,
    section: string,
    packed: Buffer,
    keepForMs: number,
    generation: string,
    version: number,
    company: string,
    fetchedAt: number,
  ): Promise<string>
  cacheChange(
    keys: number,
    ...keysHowTimeGenerationKeepMsChannelMessageAndSections: (string | number | Buffer)[]
  ): Promise<number>
  cacheSwept(
    swept: string,
    time: number,
    keepMs: number,
    channel: string,
    message: string,
    ...prefixesAndSections: string[]
  ): Promise<number>
  cacheErase(
    key: string,
    answerKey: string,
    leavesTombstone: '0' | '1',
    channel: string,
    message: string,
  ): Promise<number>
  cacheVersions(versions: string, keepMs: number): Promise<string[]>
}
