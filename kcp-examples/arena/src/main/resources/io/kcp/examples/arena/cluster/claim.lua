-- Says where a user is for a time, unless it came in elsewhere by a later attempt, or first by the same one. A time of zero takes it
-- away from this gateway and attempt, and from no other.
-- KEYS: 1 where the user is, as attempt/gateway
-- ARGV: 1 gateway, 2 attempt, 0 to 2^32 - 1 and round again, 3 ms
-- Returns the gateway that the user is at now, nothing if it is at none.
local mine = ARGV[2] .. '/' .. ARGV[1]
local held = redis.call('GET', KEYS[1])
if held and held ~= mine then
    local attempt, gateway = string.match(held, '^(%d+)/(.*)$')
    local ahead = (tonumber(ARGV[2]) - tonumber(attempt)) % 4294967296
    if ARGV[3] == '0' or ahead == 0 or ahead >= 2147483648 then
        return gateway
    end
end
if ARGV[3] == '0' then
    redis.call('DEL', KEYS[1])
    return false
end
redis.call('SET', KEYS[1], mine, 'PX', ARGV[3])
return ARGV[1]
