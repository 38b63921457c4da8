/** Parameters by which campaigns, mailings and networks count who comes from where. No page is another for them. */

const NAMES = new Set(
  (
    'fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid li_fat_id igshid igsh mc_cid mc_eid _ga _gl ' +
    '_gac _hsenc _hsmi __hssc __hstc __hsfp hsctatracking mkt_tok vero_id vero_conv oly_anon_id oly_enc_id rb_clickid ' +
    's_cid s_kwcid ef_id wickedid epik ref_src ref_url _openstat ncid sc_campaign sc_channel sc_content sc_medium sc_outcome ' +
    'sc_geo sc_country xtor at_campaign at_medium at_custom1 guccounter guce_referrer guce_referrer_sig zanpid irclickid ' +
    'pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid srsltid mkwid pcrid cvosrc wt.mc_id trk_contact trk_msg trk_module trk_sid'
  ).split(' '),
)
const BEGINNINGS = ['utm_', 'piwik_', 'mtm_', 'matomo_', 'hsa_', '_branch_']

/** `name` in lower case. */
export function isTracking(name: string): boolean {
  return NAMES.has(name) || BEGINNINGS.some((beginning) => name.startsWith(beginning))
}
