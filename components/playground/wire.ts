export type Json = Record<string, unknown>;

export function parseJson(text: string): Json {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

export const asObject = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

/** The code of an answer's error; "" = it has none. */
export function errorCode({ error }: Json): string {
  const { code } = asObject(error);
  return typeof code === "string" ? code : "";
}

/** What an answer says went wrong, in the API's form; null = nothing. */
export function errorText(json: Json): string | null {
  const { error } = json;
  if (error === undefined || error === null) return null;
  if (typeof error === "string") return error;
  const { message } = asObject(error);
  return typeof message === "string" ? message : JSON.stringify(error);
}
