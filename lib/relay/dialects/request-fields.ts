import type { Json } from "../canonical/json";
import { InvalidRequest } from "../canonical/wire-error";

/** Larger token limits are refused as invalid. */
export const TOKENS_MAX = 2 ** 30;

const MODEL_LENGTH_MAX = 255;
const CONTROL = /\p{Cc}/u;

export function readModel(value: unknown): string {
  if (typeof value !== "string") throw new InvalidRequest("model must be a string", "model");
  if (value === "" || value.length > MODEL_LENGTH_MAX || CONTROL.test(value)) {
    throw new InvalidRequest("model must be a name of 1 to 255 characters", "model");
  }
  return value;
}

export function readMessageList(json: Json): readonly unknown[] {
  const { messages } = json;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new InvalidRequest("messages must be a list", "messages");
  }
  return messages;
}

export function readStream(json: Json): boolean {
  return readFlag(json, "stream") ?? false;
}

export function readFlag(json: Json, name: string): boolean | undefined {
  const value = json[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw new InvalidRequest(`${name} must be true or false`, name);
  return value;
}

/** A whole number within bounds; null = not given. */
export function readLimit(json: Json, name: string, min: number, max: number): number | null {
  const value = json[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw new InvalidRequest(`${name} must be a whole number from ${min} to ${max}`, name);
  }
  return value;
}

export function readNumber(json: Json, name: string): number | undefined {
  const value = json[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") throw new InvalidRequest(`${name} must be a number`, name);
  return value;
}

/** A string or a list of strings. */
export function readTexts(json: Json, name: string): readonly string[] | undefined {
  const value = json[name];
  if (value === undefined || value === null) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!list.every((item) => typeof item === "string")) throw new InvalidRequest(`${name} must be texts`, name);
  return list;
}
