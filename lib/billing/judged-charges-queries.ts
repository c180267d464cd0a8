import type { Sql } from "@/db/client";

type Fragment = ReturnType<Sql> | ReturnType<Sql["unsafe"]>;

/** From here on a charge may have been cut to the most that one can be (price.ts). */
const CUT_FROM = 10 ** 13;
/** Amounts of lines are whole and add up to the charge, so each is within one unit of what it would be alone. */
const UNIT = 1.001;
/** Prices are products of floating-point numbers. */
const EXACT = 1e-9;

/**
 * What is wrong with charged rows (`id, request, at, quota, asked, said, other`): the lines of a charge add up to it, their
 * quantities are the row's tokens, each amount is quantity × unit price × group ratio, and each unit price is that of the ratios
 * in the row. `fault` is null where all of it holds. What a row does not say is not judged.
 */
export function judgedCharges(sql: Sql, rows: Fragment) {
  return sql`
    select id, request, at, quota, found.total, case
        when found.total <> quota then format('its lines add up to %s', found.total)
        when found.has_tokens and (found.prompt <> asked or found.completion <> said)
          then format('its lines have %s and %s tokens, the row %s and %s', found.prompt, found.completion, asked, said)
        when found.amounts_off > 0 then 'a line is not its quantity × unit price × group ratio'
        when found.prices_off > 0 then 'a line has another price than the ratios of the row'
      end as fault
    from (
      select *, (other->>'group_ratio')::float8 as group_ratio, (other->>'model_ratio')::float8 as model_ratio,
        (other->>'quota_per_unit')::float8 as per_unit
      from (${rows}) as given) as row
    cross join lateral (
      select coalesce(sum(amount), 0) as total, count(*) filter (where side <> '') > 0 as has_tokens,
        coalesce(sum(quantity) filter (where side = 'prompt'), 0) as prompt,
        coalesce(sum(quantity) filter (where side = 'completion'), 0) as completion,
        count(*) filter (where quota < ${CUT_FROM} and abs(amount - exact) > ${UNIT} + ${EXACT} * abs(exact)) as amounts_off,
        count(*) filter (where abs(price - due) > ${EXACT} * greatest(abs(price), abs(due))) as prices_off
      from (
        select amount, quantity, price, quantity * price * row.group_ratio as exact, case
            when kind in ('prompt', 'cached', 'cacheWrite', 'audioPrompt') then 'prompt'
            when kind in ('completion', 'audioCompletion') then 'completion' else '' end as side, case kind
            when 'prompt' then row.model_ratio
            when 'cached' then row.model_ratio * (row.other->>'cache_ratio')::float8
            when 'completion' then row.model_ratio * (row.other->>'completion_ratio')::float8
            when 'audioPrompt' then row.model_ratio * (row.other->>'audio_ratio')::float8
            when 'audioCompletion'
              then row.model_ratio * (row.other->>'audio_ratio')::float8 * (row.other->>'audio_completion_ratio')::float8
            when 'call' then (row.other->>'model_price')::float8 * row.per_unit
            when 'cacheWrite' then null
            else row.per_unit * (
              select (meter->>'price')::float8 from jsonb_array_elements(
                case when jsonb_typeof(row.other->'meters') = 'array' then row.other->'meters' else '[]' end) as meter
              where meter->>'meter' = kind and coalesce(meter->>'variant', '') = coalesce(variant, '') limit 1)
          end as due
        from (
          select line->>'kind' as kind, line->>'variant' as variant, (line->>'quantity')::float8 as quantity,
            (line->>'unitPrice')::float8 as price, (line->>'amount')::numeric as amount
          from jsonb_array_elements(row.other->'lines') as line) as lines) as judged) as found`;
}
