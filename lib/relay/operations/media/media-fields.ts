import type { Form, FormFile } from "../../http/forms/form";
import type { Json } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import type { MediaSource } from "./media-kind";

/** Fields of a request, whether it came as JSON or as a form. */
export type Fields = {
  text(name: string, max: number): string | undefined;
  whole(name: string, min: number, max: number): number | undefined;
  flag(name: string): boolean;
};

export function fieldsOf(source: MediaSource): Fields {
  return "form" in source ? formFields(source.form) : jsonFields(source.json);
}

function jsonFields(json: Json): Fields {
  const given = (name: string): unknown => json[name] ?? undefined;
  return {
    text(name, max) {
      const value = given(name);
      if (value !== undefined && typeof value !== "string") throw new InvalidRequest(`${name} must be a text`, name);
      return bounded(value, name, max);
    },
    whole: (name, min, max) => wholeNumber(given(name), name, min, max),
    flag(name) {
      const value = given(name);
      if (value !== undefined && typeof value !== "boolean") {
        throw new InvalidRequest(`${name} must be true or false`, name);
      }
      return value === true;
    },
  };
}

function formFields(form: Form): Fields {
  return {
    text: (name, max) => bounded(form.text(name), name, max),
    whole(name, min, max) {
      const text = form.text(name);
      if (text === undefined || text === "") return undefined;
      return wholeNumber(/^\d{1,9}$/.test(text.trim()) ? Number(text) : text, name, min, max);
    },
    flag(name) {
      const text = (form.text(name) ?? "").trim().toLowerCase();
      if (!["", "true", "false", "1", "0"].includes(text)) {
        throw new InvalidRequest(`${name} must be true or false`, name);
      }
      return text === "true" || text === "1";
    },
  };
}

function bounded(value: string | undefined, name: string, max: number): string | undefined {
  if (value !== undefined && value.length > max) {
    throw new InvalidRequest(`${name} must have at most ${max} characters`, name);
  }
  return value;
}

function wholeNumber(value: unknown, name: string, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw new InvalidRequest(`${name} must be a whole number from ${min} to ${max}`, name);
  }
  return value;
}

/** The files of a form. Throws InvalidRequest for a file of another name, which an upstream might take for a field. */
export function filesOf(form: Form, names: readonly string[]): FormFile[] {
  const files = form.files();
  const other = files.find(({ name }) => !names.includes(name.replace(/\[\]$/, "")));
  if (other) throw new InvalidRequest(`${other.name} must not be a file`, other.name);
  const odd = form.entries.find(
    (entry) => "text" in entry && SCALARS.has(entry.name.replace(/\[.*$/s, "")) && entry.name.includes("["),
  );
  if (odd) throw new InvalidRequest(`${odd.name} must be one value`, odd.name);
  const named = form.entries.find((entry) => "text" in entry && FILES.test(entry.name));
  if (named) throw new InvalidRequest(`${named.name} must be a file`, named.name);
  return files;
}

/** As a text it would name a file that the upstream keeps. */
const FILES = /^(?:images?|mask|file)(?:\W|$)|file_ids?\b/i;

/** What decides the price must have one value to every reader. */
const SCALARS = new Set([
  ...["model", "n", "size", "quality", "stream", "partial_images", "response_format", "output_format"],
]);
