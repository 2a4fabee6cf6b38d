-- Gives a holder more time if it has something still.
-- KEYS: 1 what
-- ARGV: 1 holder, 2 ms
-- Returns who has it.
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return holder
