import { parseAsStringLiteral } from "nuqs/server";

export const drawingViewParams = {
  view: parseAsStringLiteral(["table", "gallery"] as const).withDefault("table"),
};
