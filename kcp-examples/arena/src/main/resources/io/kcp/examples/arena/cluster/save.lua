-- Keeps the state of a world, unless another leads: one that led, and slept, must not overwrite what its successor did.
-- KEYS: 1 world, 2 who leads
-- ARGV: 1 state, 2 how the name of the leader ends if it is the one who saves, 3 ms that it is kept
-- Returns who leads if that is another.
local leader = redis.call('GET', KEYS[2])
if leader and string.sub(leader, -string.len(ARGV[2])) ~= ARGV[2] then
    return leader
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return false
