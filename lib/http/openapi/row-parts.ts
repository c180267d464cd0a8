import { z } from "zod";

// Fields that many objects in /api responses have.

export const id = z.int();
export const seconds = z.int().meta({ description: "Unix seconds; 0 = not yet" });
export const quota = z.int().meta({ description: "Quota" });
export const jsonText = z.string().meta({ description: "JSON as text" });
export const limit = z.int().min(0).meta({ description: "0 = no limit" });
