"""Albums: folders of panoramas, one for each place, rendered or photographed."""
