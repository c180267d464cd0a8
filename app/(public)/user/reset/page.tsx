import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { AuthCard } from "@/components/auth/auth-card";
import { ResetConfirmation } from "@/components/auth/reset-confirmation";
import { Texts } from "@/components/shell/texts";
import { Link } from "@/components/ui/link";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("reset"))("confirmTitle"), robots: { index: false } };
}

const text = (value: string | string[] | undefined) => (typeof value === "string" ? value : "");

export default async function ResetConfirmationPage({ searchParams }: PageProps<"/user/reset">) {
  const [{ email, token }, t] = await Promise.all([searchParams, getTranslations("reset")]);
  const footer = (
    <Link href="/login" className="text-primary underline underline-offset-4">
      {t("toLogin")}
    </Link>
  );
  return (
    <Texts of={["reset"]}>
      <AuthCard title={t("confirmTitle")} lead={t("confirmLead")} footer={footer}>
        <ResetConfirmation email={text(email)} token={text(token)} />
      </AuthCard>
    </Texts>
  );
}
