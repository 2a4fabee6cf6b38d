-- Appends a message of a player to the log of a room, once.
-- KEYS: 1 the log, a stream; 2 its head; 3 the number of the player's last message
-- ARGV: 1 login, 2 number of the message, 3 text, 4 messages kept, 5 ms that all is kept,
--       6 and 7 the position of the last message that the gateway knows, 8 topic of the room, 9 event to send there
-- Returns 'accepted', or the number that the message may have at most.
local last = tonumber(redis.call('GET', KEYS[3]) or '0')
local sequence = tonumber(ARGV[2])
if sequence > last + 1 then
    return string.format('%.0f', last + 1)
end
if sequence <= last then
    return 'accepted'
end
-- The number of a log is the time when it began. If the gateway knows more messages than Redis has, Redis lost the last ones in a crash
-- or a fail-over. Their positions must not be given to other messages, so a new log begins.
local log, entries = unpack(redis.call('HMGET', KEYS[2], 'log', 'entries'))
local known = tonumber(ARGV[6])
if not log or known > tonumber(log) or known == tonumber(log) and tonumber(ARGV[7]) > tonumber(entries) then
    local now = redis.call('TIME')
    local begun = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
    log = string.format('%.0f', math.max(begun, known + 1))
    redis.call('HSET', KEYS[2], 'log', log, 'entries', '0')
end
local position = string.format('%s-%.0f', log, redis.call('HINCRBY', KEYS[2], 'entries', 1))
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], position, 'login', ARGV[1], 'sequence', ARGV[2], 'text', ARGV[3])
redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
redis.call('PUBLISH', ARGV[8], ARGV[9])
return 'accepted'
