import { roles } from '@parley/contracts';

/** The roles in the order of their power. */
const everyRole = Object.entries(roles).map(([id, name]) => ({ roleTypeID: Number(id), name }));

const labels: Readonly<Record<'hi' | 'mr', Readonly<Record<number, string>>>> = {
  hi: { 1: 'स्वामी', 2: 'व्यवस्थापक', 3: 'सदस्य', 4: 'दर्शक' },
  mr: { 1: 'मालक', 2: 'प्रशासक', 3: 'सदस्य', 4: 'दर्शक' },
};

/** The roles as a form offers them, in the language of its reader. */
export function rolesIn(language: 'en' | 'hi' | 'mr') {
  return everyRole.map(({ roleTypeID, name }) => ({
    roleTypeID,
    name,
    label: language === 'en' ? name : (labels[language][roleTypeID] ?? name),
  }));
}

/** What people call a role. */
export function roleName(roleTypeId: number): string {
  return everyRole.find(({ roleTypeID }) => roleTypeID === roleTypeId)?.name ?? 'Unknown';
}
