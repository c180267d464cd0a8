"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { action } from "@/lib/http/action";
import { deleteIncident as remove, saveIncident as save } from "@/lib/status-page/commands";
import { saveIncidentSchema } from "@/lib/status-page/schemas";

export const saveIncident = action(saveIncidentSchema, async (ctx, input) => {
  await save(ctx, input);
  refresh();
});

export const deleteIncident = action(z.object({ id: z.number().int().positive() }), async (ctx, { id }) => {
  await remove(ctx, id);
  refresh();
});
