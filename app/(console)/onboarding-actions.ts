"use server";

import { z } from "zod";
import { action } from "@/lib/http/action";
import { checkOnboarding } from "@/lib/onboarding/queries";

/** How far the first day has come, for the list that watches it. */
export const onboardingSteps = action(z.object({}), (ctx) => checkOnboarding(ctx));
