export const search = {};
