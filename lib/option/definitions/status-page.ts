import { z } from "zod";
import { isModelGroups, type ModelGroups } from "@/lib/model-groups";
import { flag, jsonText, type OptionDefinition } from "../definition";

/** The public page that says which models work. */
export const statusPageOptions = {
  StatusPageEnabled: { schema: flag, default: "false", delicate: false, running: "none", card: "statusPage" },
  /** Without any, each public model is shown by itself. */
  StatusPageGroups: {
    schema: jsonText(z.custom<ModelGroups>(isModelGroups), "modelGroups"),
    default: "{}",
    delicate: false,
    running: "none",
    card: "statusPage",
  },
} as const satisfies Record<string, OptionDefinition>;
