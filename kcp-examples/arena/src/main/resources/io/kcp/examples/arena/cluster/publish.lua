-- Appends a message once.
-- KEYS: 1 log of the room, 2 its head, 3 what the user sent to the room
-- ARGV: 1 user, 2 sequence number, 3 message, 4 entries kept, 5 sequence numbers remembered, 6 ms that all is remembered,
--       7 and 8 the position up to which the gateway has heard the log
-- Returns the position, 0-0 if it stood there but where is forgotten; the last sequence number that was taken if this one
-- cannot be.
local sequence = tonumber(ARGV[2])
local remembered = tonumber(ARGV[5])
local last = tonumber(redis.call('HGET', KEYS[3], 'last') or '0')
if sequence < 1 or sequence > last + 1 then
    return string.format('%.0f', last)
end
if sequence <= last then
    if sequence <= last - remembered then
        return '0-0'
    end
    return redis.call('HGET', KEYS[3], string.format('%.0f', sequence % remembered))
end
-- Positions count the entries of one log. The first part is when the log was made, so that those of a new log come after all
-- positions that anybody has from one that was lost. If a gateway has heard more than there is, Redis has lost the last entries, by
-- a fail-over or a crash: counting on would give their positions to others, which nobody who heard the lost ones would hear.
local log, entries = unpack(redis.call('HMGET', KEYS[2], 'log', 'entries'))
local heardLog = tonumber(ARGV[7])
if not log or heardLog > tonumber(log) or heardLog == tonumber(log) and tonumber(ARGV[8]) > tonumber(entries) then
    local now = redis.call('TIME')
    local made = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
    log = string.format('%.0f', math.max(made, heardLog + 1))
    redis.call('HSET', KEYS[2], 'log', log, 'entries', '0')
end
local position = string.format('%s-%.0f', log, redis.call('HINCRBY', KEYS[2], 'entries', 1))
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], position, 'user', ARGV[1], 'sequence', ARGV[2], 'message', ARGV[3])
redis.call('HSET', KEYS[3], 'last', ARGV[2], string.format('%.0f', sequence % remembered), position)
for _, key in ipairs(KEYS) do
    redis.call('PEXPIRE', key, ARGV[6])
end
return position
