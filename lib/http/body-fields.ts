import { z } from "zod";
import { AppError } from "@/lib/errors";
import { similarName, wordsOf } from "@/lib/similar-name";
import { PROOF_FIELDS } from "./proof";

/** A field of a body that did nothing, as the reply names it. */
export type FieldNote =
  | { field: string; code: "unknown_field"; meant?: string }
  | { field: string; code: "read_only" }
  | { field: string; code: "no_effect"; because: NoteReason };

/** Why a field that a call knows has no effect; the texts are under "fieldNote" in messages/*.json. */
export type NoteReason = (typeof NOTE_REASONS)[number];
const NOTE_REASONS = [
  "modelLimitsOff",
  "unlimited",
  "noRate",
  "comparedOnly",
  "ownKey",
  "oneMode",
  "setBySystem",
  "ownOnly",
  "statusOnly",
] as const;

const MODEL_LIST = /^(allowed_?)?models?(_?(list|allowed|limit|whitelist))?$/;

/** Names under which other gateways and clients know a limit; the first that the call has is suggested. */
const SAME_MEANING: readonly (readonly [names: RegExp, fields: readonly string[]])[] = [
  [MODEL_LIST, ["model_limits", "models"]],
  [/^(rpm|rpm_?limit|rate_?limit|requests?_?limit|max_?requests?)$/, ["requests_per_minute"]],
  [/^(tpm|tpm_?limit|tokens?_?limit)$/, ["tokens_per_minute"]],
  [/^(max_)?(parallel|concurren)\w*$/, ["concurrency_limit"]],
  [/^(quota|credits?|balance|limit|max_?budget|spend_?limit|amount|remaining)$/, ["remain_quota", "quota"]],
  [/^(expir\w*|valid_?until|ttl|duration|budget_?duration)$/, ["expired_time"]],
  [/^(allowed_?|ip_?)?(ips?|cidrs?|subnets?|addresses|whitelist)(_?(whitelist|limit|allow\w*))?$/, ["allow_ips"]],
  [/^(denied_?|blocked_?|banned_?)(ips?|cidrs?|addresses)$|^(ip_?)?blacklist$/, ["deny_ips"]],
  [/^(scopes?|operations?|endpoints?|permissions?)$/, ["operation_limits"]],
];

/** Words by which a name says that it bounds something. */
const BOUND =
  /^(limit\w*|max\w*|budg\w*|budj\w*|quota\w*|credits?|spend\w*|[rt]p[mdh]|rates?|concurren\w*|parallel\w*|deny|denied|block\w*|ban|banned|blacklist\w*|expir\w*|validity|ttl|duration|lifetime)$/;
/** Words that say it of a list or an amount. A switch of such a name says what is passed on or shown, as in "allow_service_tier". */
const BOUND_WITH_VALUE = /^(allow\w*|whitelist\w*|ips?|cidrs?|scopes?|operations?|permissions?|until|per)$/;
/** Words of names that say what is told or kept of an amount, never how far it goes, as in "quota_warning_type" and "record_ip_log". */
const TOLD =
  /^(warn\w*|notif\w*|alert\w*|remind\w*|log|logs|record\w*|update\w*|sync\w*|detect\w*|display\w*|used|consumed)$/;

function isBound(name: string, value: unknown): boolean {
  const words = wordsOf(name);
  if (words.some((word) => TOLD.test(word))) return false;
  if (words.some((word) => BOUND.test(word))) return true;
  if (typeof value === "boolean") return false;
  const isOfModels = words.at(-1) === "models" || MODEL_LIST.test(words.join("_"));
  return isOfModels || words.some((word) => BOUND_WITH_VALUE.test(word));
}

/** A value that bounds nothing, such as what the forms of other consoles send for a field that was left empty. */
function isNeutral(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "" || value === 0 || value === -1)
    return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/**
 * The fields of a body that its schema does not read. Throws invalid where one of them would have been a limit: what was made
 * without it would have none. `row`: what the call's clients send back whole; its other fields can only be read.
 */
export function unreadFields(
  schema: z.ZodType,
  given: Record<string, unknown>,
  { row, isProofRead }: { row?: z.ZodObject | undefined; isProofRead: boolean },
): FieldNote[] {
  return notesOf(schema, given).flatMap((note) => {
    const { field } = note;
    if (isProofRead && PROOF_NAMES.has(field)) return [];
    if (row && Object.hasOwn(row.shape, field)) return [{ field, code: "read_only" as const }];
    return [note];
  });
}

const PROOF_NAMES: ReadonlySet<string> = new Set(Object.values(PROOF_FIELDS).map(({ field }) => field));

/** A body can have hundreds of thousands of fields; so many are looked at closely. */
const SUGGESTIONS_MAX = 50;

/** Of the body itself: what is inside of its fields has the formats of others, such as WebAuthn's. */
function notesOf(schema: z.ZodType, given: Record<string, unknown>): FieldNote[] {
  const shape = shapeOf(schema);
  if (!shape) return [];
  const known = Object.keys(shape);
  const unknown = Object.keys(given).filter((field) => !Object.hasOwn(shape, field));
  return unknown.flatMap((field, index) => {
    const meant = index < SUGGESTIONS_MAX ? suggestionFor(field, known) : undefined;
    return [{ field, code: "unknown_field" as const, ...(meant === undefined ? {} : { meant }) }];
  });
}

/** Throws invalid for the first unknown field that would have been a limit. */
export function refuseUnknownLimits(notes: readonly FieldNote[], given: Record<string, unknown>): void {
  for (const note of notes) {
    if (note.code !== "unknown_field" || isNeutral(given[note.field])) continue;
    const { field, meant } = note;
    if (!isBound(field, given[field]) && !(meant !== undefined && isBound(meant, given[field]))) continue;
    if (meant === undefined) throw new AppError("invalid", "limitUnknown", { field });
    throw new AppError("invalid", "limitMisspelt", { field, meant });
  }
}

/** The field that the client probably meant. */
function suggestionFor(name: string, known: readonly string[]): string | undefined {
  const plain = wordsOf(name).join("_");
  const [, fields = []] = SAME_MEANING.find(([names]) => names.test(plain)) ?? [];
  return fields.find((field) => known.includes(field)) ?? similarName(plain, known);
}

/** Of a body of which a call reads only some fields: the others that say something else than the row that came of it. */
export function fieldsBeside(read: readonly string[], given: object, row: object | undefined): string[] {
  const present = new Map(Object.entries(row ?? {}));
  return Object.entries(given).flatMap(([field, value]) =>
    read.includes(field) || value === undefined || value === present.get(field) ? [] : [field],
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of an object schema, whatever is around it; null = it takes any field, or is no object. */
function shapeOf(schema: unknown): Record<string, z.ZodType> | null {
  if (schema instanceof z.ZodObject) return schema.def.catchall ? null : schema.shape;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return shapeOf(schema.def.innerType);
  if (schema instanceof z.ZodUnion) {
    const shapes = schema.options.map(shapeOf);
    return shapes.some((shape) => shape === null) ? null : Object.assign({}, ...shapes);
  }
  return schema instanceof z.ZodPipe ? shapeOf(schema.def.in) : null;
}

/** What of the notes holds for the row that came of it: a field that was sent as it is anyway has lost nothing. */
export function lostFields(notes: readonly FieldNote[], given: Record<string, unknown>, result: unknown): FieldNote[] {
  return notes.filter(
    ({ field, code }) =>
      code !== "read_only" || !isObject(result) || JSON.stringify(result[field]) !== JSON.stringify(given[field]),
  );
}
