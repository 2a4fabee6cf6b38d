-- Returns the position of the last message of a room, and begins a log if there is none.
-- KEYS: 1 the head of the log, a hash: its number and how many messages it has had
-- ARGV: 1 ms that it is kept
local log, entries = unpack(redis.call('HMGET', KEYS[1], 'log', 'entries'))
if not log then
    local now = redis.call('TIME')
    log = string.format('%.0f', tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000))
    entries = '0'
    redis.call('HSET', KEYS[1], 'log', log, 'entries', entries)
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return log .. '-' .. entries
