/** Asks for plain JSON where a format has no field for it. */
export const JSON_ONLY = "Answer with one JSON object and nothing else.";
