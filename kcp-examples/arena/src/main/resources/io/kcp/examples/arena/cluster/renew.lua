-- Gives something to its holder for more time, or to anybody if nobody has it.
-- KEYS: 1 what
-- ARGV: 1 holder, 2 ms
-- Returns who has it now.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
    return holder
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
