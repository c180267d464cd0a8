import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { getTurnstileSite } from "@/app/sign-in";
import { AuthCard } from "@/components/auth/auth-card";
import { ResetRequestForm } from "@/components/auth/reset-request-form";
import { Texts } from "@/components/shell/texts";
import { Link } from "@/components/ui/link";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("reset"))("title") };
}

export default async function ResetPage() {
  const [turnstileSite, t] = await Promise.all([getTurnstileSite(), getTranslations("reset")]);
  const footer = (
    <Link href="/login" className="text-primary underline underline-offset-4">
      {t("toLogin")}
    </Link>
  );
  return (
    <Texts of={["reset"]}>
      <AuthCard title={t("title")} lead={t("lead")} footer={footer}>
        <ResetRequestForm turnstileSite={turnstileSite} />
      </AuthCard>
    </Texts>
  );
}
