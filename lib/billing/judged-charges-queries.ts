import type { Sql } from "@/db/client";
import { COMPLETION_KINDS, PROMPT_KINDS } from "./types";

type Fragment = ReturnType<Sql> | ReturnType<Sql["unsafe"]>;

/** From here on a charge may have been cut to the most that one can be (price.ts). */
const CUT_FROM = 10 ** 13;
/** Amounts of lines are whole and add up to the charge, so each is within one unit of what it would be alone. */
const UNIT = 1.001;
/** Prices are products of floating-point numbers. */
const EXACT = 1e-9;

/** A number in JSON; null for anything else, which must not end the check. */
const number = (name: string) => `case when jsonb_typeof(${name}) = 'number' then ${name}::float8 end`;

/** Fields of `other` that a charge depends on: read in one pass, because each look into it may have to unpack it. */
const RATIOS = [
  "group_ratio",
  "model_ratio",
  "completion_ratio",
  "cache_ratio",
  "audio_ratio",
  "audio_completion_ratio",
  "audio_cache_ratio",
  "image_ratio",
  "image_cache_ratio",
  "model_price",
  "quota_per_unit",
];

/** The unit prices of all kinds but cache writes and meters, by the ratios of a row or of a part. */
const DUE_BY_RATIOS = `when 'prompt' then model_ratio
    when 'cached' then model_ratio * cache_ratio
    when 'completion' then model_ratio * completion_ratio
    when 'audioPrompt' then model_ratio * audio_ratio
    when 'imagePrompt' then model_ratio * image_ratio
    when 'cachedAudio' then model_ratio * audio_cache_ratio
    when 'cachedImage' then model_ratio * image_cache_ratio
    when 'audioCompletion' then model_ratio * audio_ratio * audio_completion_ratio
    when 'call' then model_price * quota_per_unit`;

/** The unit price of a line that another model wrote, by the ratios of its part; -1 = the row has no such part. */
const DUE_OF_PART = `coalesce((select case kind ${DUE_BY_RATIOS}
    when 'cacheWrite' then price end
  from (
    select part->>'model' as model, ${RATIOS.filter((name) => !["group_ratio", "quota_per_unit"].includes(name))
      .map((name) => `${number(`(part->'${name}')`)} as ${name}`)
      .join(", ")}
    from jsonb_array_elements(case when jsonb_typeof(parts) = 'array' then parts else '[]' end) as part) as of_part
  where of_part.model = written_by limit 1), -1)`;

const listed = (kinds: readonly string[]): string => kinds.map((kind) => `'${kind}'`).join(", ");

/** Tokens of parts that are charged by the call: no line counts them. */
const tokensByCall = (name: string) => `(select coalesce(sum(${number(`(part->'${name}')`)}), 0)
  from jsonb_array_elements(case when jsonb_typeof(parts) = 'array' then parts else '[]' end) as part
  where ${number("(part->'model_price')")} >= 0)`;

/**
 * What is wrong with charged rows (`id, request, at, quota, asked, said, other`): the lines of a charge add up to it, their
 * quantities are the row's tokens, each amount is quantity × unit price × group ratio, and each unit price is that of the ratios
 * in the row, or of the part of its model (`other.parts`). `fault` is null where all of it holds. What a row does not say is not judged.
 */
export function judgedCharges(sql: Sql, rows: Fragment) {
  return sql`
    select id, request, at, quota, found.total, case
        when found.total <> quota then format('its lines add up to %s', found.total)
        when found.has_tokens and (found.prompt <> asked or found.completion <> said)
          then format('its lines have %s and %s tokens, the row %s and %s', found.prompt, found.completion, asked, said)
        when found.is_amount_off then 'a line is not its quantity × unit price × group ratio'
        when found.is_price_off then 'a line has another price than the ratios of the row'
      end as fault
    from (${rows}) as given
    cross join lateral (
      select lines, meters, parts, ${sql.unsafe(RATIOS.map((name) => `${number(name)} as ${name}`).join(", "))}
      from jsonb_to_record(other) as fields(lines jsonb, meters jsonb, parts jsonb, ${sql.unsafe(RATIOS.map((name) => `${name} jsonb`).join(", "))})
      offset 0) as row
    cross join lateral (
      select coalesce(sum(amount), 0) as total, coalesce(bool_or(side <> 0), false) as has_tokens,
        coalesce(sum(quantity) filter (where side = 1), 0) + ${sql.unsafe(tokensByCall("prompt_tokens"))} as prompt,
        coalesce(sum(quantity) filter (where side = 2), 0) + ${sql.unsafe(tokensByCall("completion_tokens"))} as completion,
        bool_or(quota < ${CUT_FROM} and abs(amount - exact) > ${UNIT} + ${EXACT} * abs(exact)) as is_amount_off,
        bool_or(abs(price - due) > ${EXACT} * greatest(abs(price), abs(due))) as is_price_off
      from (
        select amount, quantity, price, quantity * price * group_ratio as exact, case
            when kind in (${sql.unsafe(listed(PROMPT_KINDS))}) then 1
            when kind in (${sql.unsafe(listed(COMPLETION_KINDS))}) then 2 else 0 end as side, case
            when written_by is not null then ${sql.unsafe(DUE_OF_PART)} else case kind ${sql.unsafe(DUE_BY_RATIOS)}
            when 'cacheWrite' then null
            else quota_per_unit * (
              select ${sql.unsafe(number("(meter->'price')"))} from jsonb_array_elements(
                case when jsonb_typeof(meters) = 'array' then meters else '[]' end) as meter
              where meter->>'meter' = kind and coalesce(meter->>'variant', '') = coalesce(variant, '') limit 1)
          end end as due
        from (
          select kind, variant, model as written_by, ${sql.unsafe(number("quantity"))} as quantity, ${sql.unsafe(number(`"unitPrice"`))} as price,
            ${sql.unsafe(number("amount"))} as amount
          from jsonb_to_recordset(lines) as line(kind text, variant text, model text, quantity jsonb, "unitPrice" jsonb, amount jsonb)
          offset 0) as lines) as judged) as found`;
}
