-- Gives something to a holder for a time, unless another has it. A time of zero takes it away from this holder.
-- KEYS: 1 what
-- ARGV: 1 holder, 2 ms
-- Returns who had it before.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
    return holder
end
if ARGV[2] == '0' then
    redis.call('DEL', KEYS[1])
else
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return holder
