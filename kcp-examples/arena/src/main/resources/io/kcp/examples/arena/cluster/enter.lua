-- Remembers for a time that a user is in a room. A time of zero forgets it.
-- KEYS: 1 the position after which the user began to hear the room
-- ARGV: 1 this position, if it was not in, 2 ms
-- Returns the position that counts.
local since = redis.call('GET', KEYS[1]) or ARGV[1]
if ARGV[2] == '0' then
    redis.call('DEL', KEYS[1])
else
    redis.call('SET', KEYS[1], since, 'PX', ARGV[2])
end
return since
